//! From a terminal's text with colour commands to a picture.

use std::fmt::Write as _;

/// The size of a character's cell, in pixels.
const CELL: (usize, usize) = (9, 19);
/// Space around the text.
const MARGIN: usize = 14;
const BACKGROUND: &str = "#1b2028";
const FOREGROUND: &str = "#d5dbe5";
const DIM: &str = "#8791a1";

/// How the next characters look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Look {
    bold: bool,
    dim: bool,
    colour: Option<u8>,
}

impl Look {
    /// Obeys the parameters of one "select graphic rendition".
    fn obey(&mut self, parameters: &str) {
        for parameter in parameters.split(';') {
            match parameter.parse::<u8>().unwrap_or(0) {
                0 => *self = Self::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                22 => (self.bold, self.dim) = (false, false),
                colour @ 30..=37 => self.colour = Some(colour - 30),
                39 => self.colour = None,
                _ => {}
            }
        }
    }

    fn fill(self) -> &'static str {
        match self.colour {
            Some(1) => "#f0717c",
            Some(2) => "#9ccc80",
            Some(3) => "#f2c46d",
            Some(6) => "#6fc7d6",
            _ if self.dim => DIM,
            _ => FOREGROUND,
        }
    }
}

/// The picture of a screen of this size.
pub(super) fn draw(screen: &str, columns: usize, rows: usize) -> String {
    let (width, height) = (columns * CELL.0 + 2 * MARGIN, rows * CELL.1 + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n\
         <g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"15\" \
         xml:space=\"preserve\">\n"
    );
    let mut look = Look::default();
    for (row, line) in screen.lines().take(rows).enumerate() {
        let mut column = 0;
        for (style, text) in runs(line, &mut look) {
            // Apart where there is space, so that no font's own width adds up over a line.
            for text in text.split_inclusive("  ") {
                piece(&mut svg, row, column, style, text);
                column += text.chars().count();
            }
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// One run of text; its length is given, so that every font falls into the cells.
fn piece(svg: &mut String, row: usize, column: usize, look: Look, text: &str) {
    let shown = text.trim_matches(' ');
    if shown.is_empty() {
        return;
    }
    let column = column + text.chars().take_while(|c| *c == ' ').count();
    let (x, y) = (MARGIN + column * CELL.0, MARGIN + row * CELL.1 + CELL.1 * 3 / 4);
    let length = shown.chars().count() * CELL.0;
    let weight = if look.bold { " font-weight=\"bold\"" } else { "" };
    let text = shown.replace('&', "&amp;").replace('<', "&lt;");
    let fill = look.fill();
    let written = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\" \
         fill=\"{fill}\"{weight}>{text}</text>"
    );
    written.expect("a string takes all");
}

/// The runs of one look, from left to right; the look goes on to the next line.
fn runs(line: &str, look: &mut Look) -> Vec<(Look, String)> {
    let mut runs = Vec::new();
    let mut parts = line.split('\x1b');
    let first = parts.next().unwrap_or_default();
    runs.push((*look, first.to_owned()));
    for part in parts {
        // Commands other than colours do not come from a captured screen.
        let command = part.strip_prefix('[').and_then(|part| part.split_once('m'));
        let (parameters, text) = command.unwrap_or(("", part));
        look.obey(parameters);
        match runs.last_mut() {
            Some((last, before)) if *last == *look => before.push_str(text),
            _ => runs.push((*look, text.to_owned())),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_begin_end_and_reach_over_lines() {
        let mut look = Look::default();
        let red = Look { colour: Some(1), ..Look::default() };
        let seen = runs("a\x1b[31mb\x1b[39mc\x1b[0;31md", &mut look);
        let plain = Look::default();
        let expect = [(plain, "a"), (red, "b"), (plain, "c"), (red, "d")];
        assert_eq!(seen, expect.map(|(look, text)| (look, text.to_owned())));
        assert_eq!(runs("e", &mut look), [(red, "e".to_owned())]);
    }

    #[test]
    fn a_picture_has_its_size_and_its_text_in_cells() {
        let svg = draw("  a<b&c d  e\n", 20, 2);
        assert!(svg.contains("width=\"208\" height=\"66\""), "{svg}");
        assert!(svg.contains("x=\"32\""), "{svg}");
        assert!(svg.contains("textLength=\"63\""), "{svg}");
        assert!(svg.contains(">a&lt;b&amp;c d</text>"), "{svg}");
    }
}
