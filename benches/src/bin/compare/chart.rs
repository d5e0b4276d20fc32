//! The picture: what an entity costs, by how many there are and by how many each has in view.

use crate::results::Results;
use bevy_aoi_benches::{systems::Level, workloads::repository};
use plotters::{coord::Shift, prelude::*};
use std::error::Error;

const PATH: &str = "assets/compare.svg";

const SYSTEMS: [(&str, RGBColor); 7] = [
    ("floor", RGBColor(150, 150, 150)),
    ("ours", RGBColor(200, 30, 60)),
    ("nine-grid", RGBColor(30, 100, 200)),
    ("towers", RGBColor(0, 140, 120)),
    ("kiddo", RGBColor(230, 140, 0)),
    ("rstar", RGBColor(130, 70, 180)),
    ("brute", RGBColor(90, 60, 40)),
];

/// System, colour, and its points: entities or pairs in view, ns.
type Line = (&'static str, RGBColor, Vec<(f64, f64)>);

/// Draws it from the workloads of which the crowds differ in one thing only.
pub fn draw(results: &Results) -> Result<(), String> {
    let path = repository().join(PATH);
    draw_to(results, &path).map_err(|error| format!("{}: {error}", path.display()))
}

fn draw_to(results: &Results, path: &std::path::Path) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, (1000, 480)).into_drawing_area();
    root.fill(&WHITE)?;
    let (top, panels) = root.split_vertically(36);
    let (left, right) = panels.split_horizontally(500);
    let sizes = lines(results, &["growth", "W1", "W2", "W3"], |entities, _| {
        entities
    });
    panel(&left, "30 in view", "entities", &sizes)?;
    let densities = lines(
        results,
        &["density-10", "W1", "density-100", "W4"],
        |_, in_view| in_view,
    );
    panel(&right, "10 000 entities", "in view", &densities)?;
    legend(&top, &sizes)?;
    root.present()?;
    Ok(())
}

/// Which colour is which, above both panels.
fn legend(area: &DrawingArea<SVGBackend, Shift>, lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let measured = lines.iter().filter(|line| !line.2.is_empty());
    for (x, (system, color, _)) in (70..).step_by(120).zip(measured) {
        area.draw(&PathElement::new(
            [(x, 20), (x + 22, 20)],
            color.stroke_width(3),
        ))?;
        area.draw(&Text::new(*system, (x + 28, 13), ("sans-serif", 15)))?;
    }
    Ok(())
}

fn lines(results: &Results, workloads: &[&str], x: fn(f64, f64) -> f64) -> Vec<Line> {
    let line = |&(system, color): &(&'static str, RGBColor)| {
        let points = workloads.iter().filter_map(|workload| {
            let measured = results.get(workload, Level::App, 1)?;
            let x = x(measured.entities, f64::from(measured.in_view?));
            Some((x, measured.row(system)?.ns))
        });
        (system, color, points.collect())
    };
    SYSTEMS.iter().map(line).collect()
}

fn panel(
    area: &DrawingArea<SVGBackend, Shift>,
    title: &str,
    x_name: &str,
    lines: &[Line],
) -> Result<(), Box<dyn Error>> {
    let points = lines.iter().flat_map(|line| &line.2);
    let (mut x_range, mut y_range) = ((f64::MAX, 0.0_f64), (f64::MAX, 0.0_f64));
    for &(x, y) in points {
        x_range = (x_range.0.min(x), x_range.1.max(x));
        y_range = (y_range.0.min(y), y_range.1.max(y));
    }
    if x_range.0 >= x_range.1 {
        return Err("too little was measured to draw it".into());
    }
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(64)
        .build_cartesian_2d(
            (x_range.0 * 0.8..x_range.1 * 1.25).log_scale(),
            (y_range.0 * 0.7..y_range.1 * 1.5).log_scale(),
        )?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(RGBColor(225, 225, 225))
        .x_labels(5)
        .x_desc(x_name)
        .y_desc("ns per entity and update")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .draw()?;
    for (_, color, points) in lines.iter().filter(|line| !line.2.is_empty()) {
        chart.draw_series(LineSeries::new(
            points.iter().copied(),
            color.stroke_width(2),
        ))?;
        let dots = points
            .iter()
            .map(|&point| Circle::new(point, 3, color.filled()));
        chart.draw_series(dots)?;
    }
    Ok(())
}
