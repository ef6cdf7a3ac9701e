//! Links to our own pages.

use std::fmt::Write as _;

/// A path with parameters: whatever is in them stays in them.
pub(crate) fn link(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut link = path.to_owned();
    for (at, (name, value)) in parameters.iter().enumerate() {
        link.push(if at == 0 { '?' } else { '&' });
        link.push_str(name);
        link.push('=');
        for byte in value.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    link.push(char::from(byte));
                }
                _ => write!(link, "%{byte:02X}").expect("a string takes all"),
            }
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_never_becomes_another() {
        let check = |value: &str, expect: &str| assert_eq!(link("/x", &[("url", value)]), expect);
        check("a&b=c#d", "/x?url=a%26b%3Dc%23d");
        check("http://a.org/?q=ü +", "/x?url=http%3A%2F%2Fa.org%2F%3Fq%3D%C3%BC%20%2B");
        check("\"><script>", "/x?url=%22%3E%3Cscript%3E");
        assert_eq!(link("/x", &[("a", "1"), ("b", "2")]), "/x?a=1&b=2");
    }
}
