//! What the attributes of an element itself say of how it is drawn: enough to know text that is
//! there for machines only. Style sheets are not read.

use super::tag::Tag;

/// How far two colours may be apart, in each of their three parts, for nobody to see a difference.
const UNSEEN: u8 = 8;
/// A text that begins so far to the left of its place, in pixels, is outside of every screen.
const OUTSIDE: f32 = -500.0;

/// Red, green and blue.
type Colour = [u8; 3];

const WHITE: Colour = [255; 3];

/// How what comes now is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Paint {
    /// Not drawn, whatever is in it says.
    is_out: bool,
    /// Not drawn, unless something in it says that it is.
    is_invisible: bool,
    /// Drawn in letters without size.
    is_tiny: bool,
    ink: Option<Colour>,
    ground: Option<Colour>,
}

impl Paint {
    /// How a page is drawn that says nothing of it.
    pub(super) fn bare() -> Self {
        Self { ground: Some(WHITE), ..Self::default() }
    }

    /// How a page is drawn that has style sheets: nothing is known of its ground.
    pub(super) fn styled() -> Self {
        Self::default()
    }

    /// Whether nobody sees a text.
    pub(super) fn conceals(&self) -> bool {
        self.is_out || self.is_invisible || self.is_disguised()
    }

    /// Whether a text takes its place, and nobody sees it all the same.
    pub(super) fn is_disguised(&self) -> bool {
        let is_same = |(ink, ground): (Colour, Colour)| {
            ink.iter().zip(ground).all(|(ink, ground)| ink.abs_diff(ground) <= UNSEEN)
        };
        self.is_tiny || self.ink.zip(self.ground).is_some_and(is_same)
    }

    /// How the inside of an element is drawn, where it says something of that.
    pub(super) fn inside(&self, tag: &Tag<'_, '_>) -> Option<Self> {
        if !tag.attributes.iter().any(|(name, _)| may_paint(name)) {
            return None;
        }
        let mut inside = *self;
        for (name, value) in tag.attributes {
            match name.to_ascii_lowercase().as_str() {
                "style" => inside.style(value),
                "hidden" => inside.is_out = true,
                "text" | "color" => inside.ink = colour(value),
                "bgcolor" => inside.ground = colour(value),
                "background" => inside.ground = None,
                _ => {}
            }
        }
        (inside != *self).then_some(inside)
    }

    fn style(&mut self, style: &str) {
        for (name, value) in style.split(';').filter_map(|it| it.split_once(':')) {
            let value = value.trim_ascii();
            let value = value.split_once('!').map_or(value, |(value, _)| value.trim_ascii_end());
            let is = |word: &str| value.eq_ignore_ascii_case(word);
            match name.trim_ascii().to_ascii_lowercase().as_str() {
                "display" => self.is_out |= is("none"),
                "visibility" => self.is_invisible = is("hidden") || is("collapse"),
                "font-size" => self.is_tiny = pixels(value) == Some(0.0),
                "text-indent" | "left" | "margin-left" => {
                    self.is_out |= pixels(value).is_some_and(|it| it <= OUTSIDE);
                }
                "color" => self.ink = colour(value),
                "background" | "background-color" if !is("transparent") => {
                    self.ground = colour(value);
                }
                _ => {}
            }
        }
    }
}

/// Whether an attribute may say how its element is drawn. Every attribute of a page comes here, so
/// that it is told by as little as tells it from the most frequent ones: class, href, id, title.
fn may_paint(name: &str) -> bool {
    matches!(
        name.as_bytes(),
        [b's' | b'S', b't' | b'T', _, _, _]
            | [b'c' | b'C', b'o' | b'O', _, _, _]
            | [b'h' | b'H', b'i' | b'I', _, _, _, _]
            | [b't' | b'T', b'e' | b'E', _, _]
            | [b'b' | b'B', .., b'r' | b'R' | b'd' | b'D']
    )
}

/// A length, whatever its unit: only none and very much are of interest.
fn pixels(value: &str) -> Option<f32> {
    let end = value.find(|char: char| !matches!(char, '0'..='9' | '.' | '-'));
    value[..end.unwrap_or(value.len())].parse().ok()
}

/// A colour as HTML and style sheets write it, if it is one of those that hide text.
fn colour(value: &str) -> Option<Colour> {
    const NAMES: [(&str, Colour); 8] = [
        ("white", WHITE),
        ("black", [0; 3]),
        ("red", [255, 0, 0]),
        ("blue", [0, 0, 255]),
        ("green", [0, 128, 0]),
        ("yellow", [255, 255, 0]),
        ("gray", [128; 3]),
        ("silver", [192; 3]),
    ];
    let value = value.trim_ascii();
    if let Some(hex) = value.strip_prefix('#') {
        return of_hex(hex);
    }
    if let Some(parts) = value.strip_prefix("rgb(").and_then(|it| it.strip_suffix(')')) {
        let mut parts = parts.split(',').map(|part| part.trim_ascii().parse().ok());
        return Some([parts.next()??, parts.next()??, parts.next()??]);
    }
    NAMES.iter().find(|(name, _)| value.eq_ignore_ascii_case(name)).map(|(_, colour)| *colour)
}

fn of_hex(hex: &str) -> Option<Colour> {
    let number = u32::from_str_radix(hex, 16).ok()?;
    let [_, red, green, blue] = number.to_be_bytes();
    match hex.len() {
        3 => {
            let [_, _, red, rest] = number.to_be_bytes();
            Some([red * 17, (rest >> 4) * 17, (rest & 15) * 17])
        }
        6 => Some([red, green, blue]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Paint;
    use crate::scan::name::Name;
    use crate::scan::tag::Tag;

    fn painted(around: Paint, name: &str, value: &str) -> Paint {
        let attributes = [(name, value)];
        let name = Name::of("p");
        let tag = Tag { name, attributes: &attributes, is_self_closing: false, is_empty: false };
        around.inside(&tag).unwrap_or(around)
    }

    fn check(style: &str, is_concealed: bool) {
        assert_eq!(painted(Paint::bare(), "style", style).conceals(), is_concealed, "{style}");
    }

    #[test]
    fn text_that_nobody_sees_is_known_by_its_style() {
        for style in [
            "display:none",
            "margin:0; DISPLAY : None !important",
            "visibility:hidden",
            "font-size:0",
            "font-size: 0px",
            "color:#fff",
            "color:white;background:white",
            "color:#010101;background-color:#000",
            "background:rgb(10, 20, 30);color:#0a141e",
            "text-indent:-9999px",
            "position:absolute;left:-5000px",
        ] {
            check(style, true);
        }
    }

    #[test]
    fn text_that_is_drawn_is_not_concealed() {
        for style in [
            "",
            "display:block",
            "visibility:visible",
            "font-size:0.9em",
            "font-size:10px",
            "color:#333",
            "color:white;background:#036",
            "color:white;background:url(dark.png)",
            "text-indent:-2em",
            "left:-20px",
            "color",
            "color:;",
        ] {
            check(style, false);
        }
    }

    #[test]
    fn what_is_in_an_element_can_be_seen_again_unless_the_whole_is_left_out() {
        let invisible = painted(Paint::bare(), "style", "visibility:hidden");
        assert!(!painted(invisible, "style", "visibility:visible").conceals());
        let out = painted(Paint::bare(), "hidden", "");
        assert!(painted(out, "style", "display:block").conceals());
        let night = painted(Paint::bare(), "bgcolor", "#000000");
        assert!(!painted(night, "color", "#ffffff").conceals());
        assert!(painted(night, "color", "black").conceals());
        assert!(!painted(Paint::styled(), "color", "white").conceals());
    }
}
