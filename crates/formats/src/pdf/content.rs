//! What a page draws, as far as it is text: glyphs become words by where they stand.

use std::collections::HashMap;
use std::rc::Rc;

use hayro_syntax::content::{Instruction, UntypedIter};
use hayro_syntax::object::{Array, Dict, Name, Object, Rect, Stream};
use hayro_syntax::page::Resources;

use super::font::Font;
use super::letters;
use super::matrix::{Matrix, Point};
use super::unpack::Unpack;
use crate::draft::{Draft, Gap};
use crate::extract::End;

/// The most operators of one document: drawings that call each other can be endless.
const OPERATORS_MAX: usize = 20_000_000;
/// How many operators a drawing counts for, beside its own.
const FORM_OPERATORS: usize = 100;
/// The most drawings inside one another.
const FORMS_MAX: usize = 16;
/// The most states that are kept for later.
const STATES_MAX: usize = 256;
/// The most fonts of one document.
const FONTS_MAX: usize = 2_000;
/// The most marks inside one another.
const MARKS_MAX: usize = 256;
/// From which gap on two glyphs belong to two words, in parts of the size. Kerning stays below,
/// the narrowest space of a justified line above.
const WORD_GAP: f64 = 0.16;
/// How far aside a glyph may stand in its line: indices do.
const LINE_GAP: f64 = 0.6;

/// Where a link lies.
pub(super) struct Area {
    pub(super) rect: Rect,
    pub(super) link: usize,
}

impl Area {
    fn holds(&self, point: Point) -> bool {
        let Rect { x0, y0, x1, y1, .. } = self.rect;
        (x0.min(x1)..=x0.max(x1)).contains(&point.x) && (y0.min(y1)..=y0.max(y1)).contains(&point.y)
    }
}

/// Prints pages into a draft.
pub(super) struct Printer<'a, 'd> {
    pub(super) draft: &'d mut Draft,
    pub(super) unpack: &'d mut Unpack,
    /// Fonts by where their dictionaries stand.
    fonts: HashMap<(usize, usize), Rc<Font>>,
    operators: usize,
    areas: Vec<Area>,
    pen: Option<Pen>,
    marks: Marks,
    states: Vec<State>,
    of: std::marker::PhantomData<Dict<'a>>,
}

/// Where the last glyph ended.
#[derive(Clone, Copy)]
struct Pen {
    at: Point,
    way: Point,
    height: f64,
}

/// Marks that are open around what is drawn.
#[derive(Default)]
struct Marks {
    /// For each whether it brings its own text.
    open: Vec<bool>,
    /// The text that stands for the glyphs within.
    text: Option<String>,
}

impl Marks {
    fn has_text(&self) -> bool {
        self.open.contains(&true)
    }
}

#[derive(Clone)]
struct State {
    space: Matrix,
    text: Matrix,
    line: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    letter_gap: f64,
    word_gap: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

impl<'a, 'd> Printer<'a, 'd> {
    pub(super) fn new(draft: &'d mut Draft, unpack: &'d mut Unpack) -> Self {
        Self {
            draft,
            unpack,
            fonts: HashMap::new(),
            operators: 0,
            areas: Vec::new(),
            pen: None,
            marks: Marks::default(),
            states: Vec::new(),
            of: std::marker::PhantomData,
        }
    }

    /// Whether a maximum ends the reading here.
    pub(super) fn is_done(&self) -> bool {
        self.operators >= OPERATORS_MAX || self.draft.is_full()
    }

    /// Prints the content of a page.
    pub(super) fn print(
        &mut self,
        content: &[u8],
        resources: &Resources<'a>,
        areas: Vec<Area>,
    ) -> Result<(), End> {
        self.areas = areas;
        self.pen = None;
        self.marks = Marks::default();
        let state = State {
            space: Matrix::SAME,
            text: Matrix::SAME,
            line: Matrix::SAME,
            font: None,
            size: 0.0,
            letter_gap: 0.0,
            word_gap: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        self.draw(content, resources, state, 0)
    }

    fn draw(
        &mut self,
        content: &[u8],
        resources: &Resources<'a>,
        mut state: State,
        forms: usize,
    ) -> Result<(), End> {
        let states = self.states.len();
        let mut instructions = UntypedIter::new(content);
        while let Some(instruction) = instructions.next() {
            self.operators += 1;
            if self.is_done() {
                self.draft.leave_out();
                break;
            }
            match &**instruction.operator {
                b"q" if self.states.len() < states + STATES_MAX => self.states.push(state.clone()),
                b"Q" if self.states.len() > states => {
                    state = self.states.pop().unwrap_or(state);
                }
                b"cm" => state.space = Matrix(numbers(&instruction)).then(state.space),
                b"Tf" => self.choose_font(&instruction, resources, &mut state)?,
                b"Do" => self.draw_form(&instruction, resources, &state, forms)?,
                b"BDC" | b"BMC" => self.open_mark(&instruction, resources),
                b"EMC" => self.close_mark(),
                b"Tj" | b"'" | b"\"" | b"TJ" => self.show(&instruction, &mut state),
                operator => state.take(operator, &instruction),
            }
        }
        self.states.truncate(states);
        Ok(())
    }

    fn choose_font(
        &mut self,
        instruction: &Instruction<'_, '_>,
        resources: &Resources<'a>,
        state: &mut State,
    ) -> Result<(), End> {
        let mut operands = instruction.operands();
        let (Some(Object::Name(name)), Some(Object::Number(size))) =
            (operands.next(), operands.next())
        else {
            return Ok(());
        };
        state.size = size.as_f64();
        // Without a font the text is still there, in the letters that all fonts begin with.
        let dict = resources.fonts.get::<Dict<'_>>(name).unwrap_or_default();
        let place = (dict.data().as_ptr().addr(), dict.data().len());
        if let Some(font) = self.fonts.get(&place) {
            state.font = Some(Rc::clone(font));
            return Ok(());
        }
        let font = Rc::new(Font::new(&dict, self.unpack)?);
        if self.fonts.len() < FONTS_MAX {
            self.fonts.insert(place, Rc::clone(&font));
        }
        state.font = Some(font);
        Ok(())
    }

    fn draw_form(
        &mut self,
        instruction: &Instruction<'_, '_>,
        resources: &Resources<'a>,
        state: &State,
        forms: usize,
    ) -> Result<(), End> {
        let Some(Object::Name(name)) = instruction.operands().next() else {
            return Ok(());
        };
        let Some(form) = resources.x_objects.get::<Stream<'_>>(name) else {
            return Ok(());
        };
        let dict = form.dict();
        if dict.get::<Name<'_>>("Subtype").is_none_or(|name| name.as_ref() != b"Form") {
            return Ok(());
        }
        if forms == FORMS_MAX {
            self.draft.leave_out();
            return Ok(());
        }
        self.operators += FORM_OPERATORS;
        let mut state = state.clone();
        if let Some(matrix) = dict.get::<Array<'_>>("Matrix") {
            let mut numbers = Matrix::SAME.0;
            for (place, number) in numbers.iter_mut().zip(matrix.iter::<f64>()) {
                *place = number;
            }
            state.space = Matrix(numbers).then(state.space);
        }
        let content = self.unpack.stream(&form)?;
        match dict.get::<Dict<'_>>("Resources") {
            Some(own) => self.draw(&content, &Resources::new(own), state, forms + 1),
            None => self.draw(&content, resources, state, forms + 1),
        }
    }

    fn open_mark(&mut self, instruction: &Instruction<'_, '_>, resources: &Resources<'_>) {
        if self.marks.open.len() == MARKS_MAX {
            return;
        }
        let text = |dict: &Dict<'_>| {
            let text = dict.get::<hayro_syntax::object::String<'_>>("ActualText")?;
            Some(letters::string(text.as_bytes()))
        };
        let text = match instruction.operands().nth(1) {
            Some(Object::Dict(dict)) => text(dict),
            Some(Object::Name(name)) => {
                resources.properties.get::<Dict<'_>>(name).and_then(|dict| text(&dict))
            }
            _ => None,
        };
        let text = text.filter(|_| !self.marks.has_text());
        self.marks.open.push(text.is_some());
        self.marks.text = text.or(self.marks.text.take());
    }

    fn close_mark(&mut self) {
        if self.marks.open.pop() == Some(true) {
            self.marks.text = None;
        }
    }

    fn show(&mut self, instruction: &Instruction<'_, '_>, state: &mut State) {
        let operator: &[u8] = instruction.operator;
        if operator == b"\"" {
            let [word_gap, letter_gap] = numbers(instruction);
            (state.word_gap, state.letter_gap) = (word_gap, letter_gap);
        }
        if operator != b"Tj" && operator != b"TJ" {
            state.next_line(0.0, -state.leading);
        }
        for operand in instruction.operands() {
            match operand {
                Object::String(string) => self.show_string(string, state),
                Object::Array(items) => {
                    for item in items.iter::<Object<'_>>() {
                        match item {
                            Object::String(string) => self.show_string(&string, state),
                            Object::Number(number) => {
                                state.move_on(-number.as_f64() / 1000.0 * state.size);
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn show_string(&mut self, string: &[u8], state: &mut State) {
        let Some(font) = state.font.clone() else {
            return;
        };
        for glyph in font.glyphs(string) {
            let from = state.place();
            let mut by = glyph.width * state.size;
            if font.vertical {
                by = state.size;
            }
            let to_end = by;
            by += state.letter_gap + if glyph.is_space { state.word_gap } else { 0.0 };
            let matrix = state.text.then(state.space);
            state.move_on(by);
            let until = state.place();
            let way = until.from(from);
            let wide =
                matrix.point(state.size.abs() * state.stretch, 0.0).from(matrix.point(0.0, 0.0));
            let high = matrix.point(0.0, state.size).from(matrix.point(0.0, 0.0));
            // A letter spacing that is wider than a word gap spaces letters, not words.
            let mark = Stroke {
                from,
                until,
                middle: Point {
                    x: from.x + way.x * to_end / by.max(f64::EPSILON) / 2.0 + high.x / 4.0,
                    y: from.y + way.y * to_end / by.max(f64::EPSILON) / 2.0 + high.y / 4.0,
                },
                way: if font.vertical { Point { x: -high.x, y: -high.y } } else { wide },
                height: if font.vertical { wide.length() } else { high.length() },
            };
            self.stroke(&glyph.text, &mark);
        }
    }

    /// Adds the text of a glyph, behind the gap that its place asks for.
    fn stroke(&mut self, text: &str, mark: &Stroke) {
        let width = mark.way.length();
        let way = Point { x: mark.way.x / width, y: mark.way.y / width };
        if let Some(pen) = self.pen {
            let gap = mark.from.from(pen.at);
            let along = gap.dot(way);
            if way.dot(pen.way) < 0.9 || gap.aside(way) > LINE_GAP * mark.height.max(pen.height) {
                self.draft.gap(Gap::Line);
            } else if along > WORD_GAP * width || along < -width {
                self.draft.gap(Gap::Space);
            }
        }
        self.pen = Some(Pen { at: mark.until, way, height: mark.height });
        let own = self.marks.text.take();
        let text = match &own {
            Some(own) => own.as_str(),
            None if self.marks.has_text() => "",
            None => text,
        };
        for char in text.chars() {
            self.letter(char, mark.middle);
        }
    }

    fn letter(&mut self, char: char, at: Point) {
        let mut buffer = [0; 4];
        let text = match char {
            'ﬀ' => "ff",
            'ﬁ' => "fi",
            'ﬂ' => "fl",
            'ﬃ' => "ffi",
            'ﬄ' => "ffl",
            'ﬅ' | 'ﬆ' => "st",
            // Printed, a soft hyphen is a hyphen.
            '\u{ad}' => "-",
            _ => char.encode_utf8(&mut buffer),
        };
        let apart = self.draft.is_apart();
        self.draft.push(text);
        for area in self.areas.iter().filter(|area| area.holds(at)) {
            for char in text.chars().filter(|char| !char.is_whitespace()) {
                self.draft.push_anchor(area.link, char, apart);
            }
        }
    }
}

/// A glyph on the page.
struct Stroke {
    from: Point,
    until: Point,
    middle: Point,
    /// Its direction, as long as its font is large.
    way: Point,
    height: f64,
}

impl State {
    /// Takes in an operator that only changes the state.
    fn take(&mut self, operator: &[u8], instruction: &Instruction<'_, '_>) {
        let [number] = numbers(instruction);
        match operator {
            b"BT" => (self.text, self.line) = (Matrix::SAME, Matrix::SAME),
            b"Tc" => self.letter_gap = number,
            b"Tw" => self.word_gap = number,
            b"Tz" => self.stretch = number / 100.0,
            b"TL" => self.leading = number,
            b"Ts" => self.rise = number,
            b"Td" | b"TD" => {
                let [x, y] = numbers(instruction);
                if operator == b"TD" {
                    self.leading = -y;
                }
                self.next_line(x, y);
            }
            b"Tm" => {
                self.line = Matrix(numbers(instruction));
                self.text = self.line;
            }
            b"T*" => self.next_line(0.0, -self.leading),
            _ => {}
        }
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line = Matrix::shift(x, y).then(self.line);
        self.text = self.line;
    }

    /// Moves along the line, or down where lines run so.
    fn move_on(&mut self, by: f64) {
        let vertical = self.font.as_ref().is_some_and(|font| font.vertical);
        let shift =
            if vertical { Matrix::shift(0.0, -by) } else { Matrix::shift(by * self.stretch, 0.0) };
        self.text = shift.then(self.text);
    }

    fn place(&self) -> Point {
        self.text.then(self.space).point(0.0, self.rise)
    }
}

/// The first operands, as numbers; what is none counts as zero.
fn numbers<const N: usize>(instruction: &Instruction<'_, '_>) -> [f64; N] {
    let mut numbers = [0.0; N];
    for (place, operand) in numbers.iter_mut().zip(instruction.operands()) {
        if let Object::Number(number) = operand {
            *place = number.as_f64();
        }
    }
    numbers
}
