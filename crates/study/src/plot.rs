//! A plot of trials as SVG, drawn without a library: cumulative rank against pages.

use std::fmt::Write as _;

use crate::Trial;

/// The size of the picture, and of the field within it.
const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 600.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 50.0;
const FIELD_WIDTH: f64 = 640.0;
const FIELD_HEIGHT: f64 = 480.0;
/// Lines of the grid each way.
const GRID: u32 = 10;
/// A line of the legend.
const ROW: f64 = 22.0;
/// Colours that are told apart, also by those who see few (Okabe and Ito, 2008).
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a7a7a", "#8b5a2b"];
/// Dashes, when the colours have all been used.
const DASHES: [&str; 3] = ["", "7 4", "2 3"];

/// Draws how much of the rank each trial had, the best at a quarter of the pages first in the
/// legend. Names are those of orders and budgets, which need no escapes.
pub fn plot(trials: &[Trial], title: &str) -> String {
    let mut order: Vec<&Trial> = trials.iter().collect();
    order.sort_by(|a, b| b.at(25.0).mass.total_cmp(&a.at(25.0).mass));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\" \
         fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    put(&mut svg, LEFT, 28.0, "start", &format!("<tspan font-size=\"16\">{title}</tspan>"));
    axes(&mut svg);
    for (number, trial) in order.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let dash = DASHES[number / COLOURS.len() % DASHES.len()];
        let style = format!(
            "fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\""
        );
        let points: Vec<String> = trial
            .points
            .iter()
            .filter_map(|point| {
                let part = part(point.fetched, trial.pages);
                (part <= 1.0).then(|| format!("{:.1},{:.1}", x(part), y(point.mass)))
            })
            .collect();
        let row = TOP + 12.0 + ROW * f64::from(u32::try_from(number).unwrap_or(u32::MAX));
        let start = LEFT + FIELD_WIDTH + 24.0;
        let name = format!("{} / {}  {:.3}", trial.order, trial.budget, trial.at(25.0).mass);
        writeln!(svg, "<polyline points=\"{}\" {style}/>", points.join(" "))
            .expect("a string takes all");
        writeln!(svg, "<path d=\"M{start},{row} h28\" {style}/>").expect("a string takes all");
        put(&mut svg, start + 36.0, row + 4.0, "start", &name);
    }
    svg.push_str("</svg>\n");
    svg
}

fn axes(svg: &mut String) {
    for line in 0..=GRID {
        let part = f64::from(line) / f64::from(GRID);
        let (across, up) = (x(part), y(part));
        let (right, bottom) = (x(1.0), y(0.0));
        writeln!(
            svg,
            "<path d=\"M{across},{bottom} V{TOP} M{LEFT},{up} H{right}\" stroke=\"#ddd\"/>"
        )
        .expect("a string takes all");
        put(svg, across, bottom + 20.0, "middle", &format!("{:.0}", part * 100.0));
        put(svg, LEFT - 8.0, up + 4.0, "end", &format!("{part:.1}"));
    }
    let middle = x(0.5);
    put(svg, middle, HEIGHT - 16.0, "middle", "pages fetched, in % of the graph");
    let legend = LEFT + FIELD_WIDTH + 24.0;
    put(svg, legend, TOP - 8.0, "start", "order / budget, and its rank at 25 %");
    let turned = format!(
        "<text transform=\"translate(20 {:.0}) rotate(-90)\" text-anchor=\"middle\">\
         PageRank of the pages fetched, of all</text>\n",
        y(0.5)
    );
    svg.push_str(&turned);
}

fn put(svg: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>")
        .expect("a string takes all");
}

fn x(part: f64) -> f64 {
    LEFT + FIELD_WIDTH * part
}

fn y(part: f64) -> f64 {
    TOP + FIELD_HEIGHT * (1.0 - part)
}

#[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2⁵²")]
fn part(fetched: u64, pages: u32) -> f64 {
    fetched as f64 / f64::from(pages.max(1))
}
