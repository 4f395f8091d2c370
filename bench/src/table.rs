//! The numbers as a table for people, and as JSON for programs.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;

use crate::{
    contender::{Contender, Role},
    row::{Column, Series, Target, Unit},
    stats::{Ratio, Summary},
};

/// `x floor`: the quotient of the medians; `pairs`: the median of the quotients of each round.
const HEADER: [&str; 12] = [
    "what",
    "unit",
    "floor",
    "who",
    "median",
    "best 10th",
    "p99",
    "x floor",
    "pairs",
    "target",
    "met",
    "noise",
];

/// What is said of one contender in one series.
#[derive(Debug, Serialize)]
struct Result<'a> {
    contender: &'a str,
    samples: usize,
    summary: Option<Summary>,
    ratio: Option<Ratio>,
    met: Option<bool>,
    fault: Option<&'a str>,
}

/// A series with its results.
#[derive(Debug, Serialize)]
struct Entry<'a> {
    measure: &'static str,
    #[serde(flatten)]
    series: &'a Series,
    results: Vec<Result<'a>>,
}

/// Everything that was measured, by the name of the measure.
#[derive(Debug)]
pub struct Report<'a> {
    contenders: &'a [Contender],
    series: &'a [(&'static str, Series)],
}

impl<'a> Report<'a> {
    /// A report on these series.
    pub fn new(contenders: &'a [Contender], series: &'a [(&'static str, Series)]) -> Self {
        Self { contenders, series }
    }

    /// The table, one line for each number of each contender, with the floor's beside it; and below
    /// it why some numbers are not there.
    pub fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(HEADER);
        let mut faults = Vec::new();
        for (_, series) in self.series {
            let results = self.results(series);
            let Some((floor, others)) = results.split_first() else {
                continue;
            };
            let mut what = series.row.what.as_str();
            for other in others {
                table.add_row(cells(what, series, floor, other));
                what = "";
            }
            for result in &results {
                faults.extend(
                    result
                        .fault
                        .map(|fault| (&series.row.what, result.contender, fault)),
                );
            }
        }
        // All numbers of one measurement have the same fault.
        faults.dedup_by_key(|(_, contender, fault)| (*contender, *fault));
        let line = |(what, contender, fault)| format!("{what} ({contender}): {fault}\n");
        format!(
            "{table}\n{}",
            faults.into_iter().map(line).collect::<String>()
        )
    }

    /// All of it, samples included.
    ///
    /// # Errors
    /// None is known: a number that is no JSON is written as null.
    pub fn json(&self) -> serde_json::Result<String> {
        let entries: Vec<_> = self
            .series
            .iter()
            .map(|(measure, series)| Entry {
                measure,
                series,
                results: self.results(series),
            })
            .collect();
        serde_json::to_string_pretty(&entries)
    }

    fn results(&self, series: &'a Series) -> Vec<Result<'a>> {
        let floor = series
            .columns
            .first()
            .map_or(&[][..], |floor| &floor.samples);
        let result = |(column, contender): (&'a Column, &Contender)| {
            let summary = Summary::of(&column.samples, series.row.better);
            let ratio = match contender.role {
                Role::Floor => None,
                Role::Agent | Role::Peer => Ratio::of(&column.samples, floor),
            };
            let met = match contender.role {
                Role::Agent => is_met(series.row.target, &column.samples, summary, ratio),
                Role::Floor | Role::Peer => None,
            };
            Result {
                contender: &column.contender,
                samples: column.samples.len(),
                summary,
                ratio,
                met,
                fault: column.fault.as_deref(),
            }
        };
        series
            .columns
            .iter()
            .zip(self.contenders)
            .map(result)
            .collect()
    }
}

/// Whether the target is met; absent without a target or without numbers.
fn is_met(
    target: Target,
    samples: &[f64],
    summary: Option<Summary>,
    ratio: Option<Ratio>,
) -> Option<bool> {
    match target {
        Target::None => None,
        Target::TimesFloor(times) => Some(ratio?.of_medians <= times),
        Target::AtLeastTimesFloor(times) => Some(ratio?.of_medians >= times),
        Target::AtMost(most) => Some(summary?.median <= most),
        Target::Never if samples.is_empty() => None,
        Target::Never => Some(samples.iter().all(|sample| *sample == 0.0)),
    }
}

fn cells(what: &str, series: &Series, floor: &Result<'_>, result: &Result<'_>) -> Vec<Cell> {
    let number = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    let of = |result: &Result<'_>, get: fn(Summary) -> f64| {
        let text = result
            .summary
            .map(|summary| rounded(get(summary), series.row.unit));
        number(text.unwrap_or_else(|| "-".to_owned()))
    };
    let times = |get: fn(Ratio) -> f64| {
        // Something divided by nothing says nothing.
        let ratio = result.ratio.map(get).filter(|ratio| ratio.is_finite());
        number(ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}")))
    };
    let met = result.met.map(|met| if met { "yes" } else { "NO" });
    let noise = series.noise.filter(|_| !what.is_empty());
    vec![
        Cell::new(what),
        Cell::new(series.row.unit),
        of(floor, |summary| summary.median),
        Cell::new(result.contender),
        of(result, |summary| summary.median),
        of(result, |summary| summary.best_tenth),
        of(result, |summary| summary.p99),
        times(|ratio| ratio.of_medians),
        times(|ratio| ratio.of_pairs),
        Cell::new(met.map_or_else(String::new, |_| series.row.target.to_string())),
        Cell::new(met.unwrap_or_default()),
        number(noise.map_or_else(String::new, |noise| format!("{:.0}%", noise * 100.0))),
    ]
}

/// Three digits that say something; whole numbers where the unit has no parts.
fn rounded(value: f64, unit: Unit) -> String {
    match (unit, value.abs()) {
        (Unit::PerSecond, _) => format!("{value:.0}"),
        (Unit::Count, _) if value.fract() == 0.0 => format!("{value:.0}"),
        (_, 100.0..) => format!("{value:.0}"),
        (_, 10.0..) => format!("{value:.1}"),
        (_, 1.0..) => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Row;

    #[test]
    fn a_target_is_met_or_not() {
        let summary = Some(Summary {
            median: 5.0,
            best_tenth: 1.0,
            p99: 9.0,
        });
        let ratio = |of_medians| {
            Some(Ratio {
                of_medians,
                of_pairs: 0.0,
            })
        };
        for (target, summary, ratio, met) in [
            (Target::None, summary, ratio(1.0), None),
            (Target::AtMost(5.0), summary, None, Some(true)),
            (Target::AtMost(4.9), summary, None, Some(false)),
            (Target::AtMost(5.0), None, None, None),
            (Target::TimesFloor(2.0), summary, ratio(2.0), Some(true)),
            (Target::TimesFloor(2.0), summary, ratio(2.1), Some(false)),
            (Target::TimesFloor(2.0), summary, None, None),
            (
                Target::AtLeastTimesFloor(1.0),
                summary,
                ratio(1.0),
                Some(true),
            ),
            (
                Target::AtLeastTimesFloor(1.0),
                summary,
                ratio(0.9),
                Some(false),
            ),
        ] {
            assert_eq!(
                is_met(target, &[], summary, ratio),
                met,
                "{target:?} {ratio:?}"
            );
        }
        for (samples, met) in [
            (&[][..], None),
            (&[0.0, 0.0], Some(true)),
            (&[0.0, 0.0, 1.0], Some(false)),
        ] {
            assert_eq!(
                is_met(Target::Never, samples, summary, None),
                met,
                "{samples:?}"
            );
        }
    }

    #[test]
    fn numbers_have_three_digits() {
        for (value, unit, text) in [
            (0.04321, Unit::Milliseconds, "0.043"),
            (1.234, Unit::Milliseconds, "1.23"),
            (12.34, Unit::Mebibytes, "12.3"),
            (1234.5, Unit::Milliseconds, "1234"),
            (373_676.4, Unit::PerSecond, "373676"),
            (0.0, Unit::Count, "0"),
            (0.5, Unit::Count, "0.500"),
        ] {
            assert_eq!(rounded(value, unit), text);
        }
    }

    #[test]
    fn a_report_has_everyone_and_every_fault() {
        let contenders = [
            Contender::floor("f".into()),
            Contender::agent("a".into()),
            Contender::peer("p", "p"),
        ];
        let column = |contender: &Contender, samples: &[f64], fault: Option<&str>| Column {
            contender: contender.name.clone(),
            samples: samples.to_vec(),
            fault: fault.map(str::to_owned),
        };
        let series = Series {
            row: Row::time("a thing", Target::TimesFloor(2.0)),
            columns: vec![
                column(&contenders[0], &[1.0, 1.0], None),
                column(&contenders[1], &[3.0, 3.0], None),
                column(&contenders[2], &[], Some("it fell over")),
            ],
            noise: Some(0.25),
        };
        let all = [("start", series)];
        let report = Report::new(&contenders, &all);
        let table = report.table();
        let words = |line: &str| {
            line.split([' ', '|'])
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let rows: Vec<_> = table
            .lines()
            .map(words)
            .filter(|row| row.contains(&"ms".to_owned()))
            .collect();
        assert_eq!(rows.len(), 2, "{table}");
        let cells = |row: &[String]| row.join(" ");
        assert_eq!(
            cells(&rows[0]),
            "a thing ms 1.00 agent 3.00 3.00 3.00 3.00 3.00 ≤ 2x NO 25%"
        );
        assert_eq!(cells(&rows[1]), "ms 1.00 p - - -");
        assert!(table.contains("a thing (p): it fell over"), "{table}");
        let json: serde_json::Value = serde_json::from_str(&report.json().unwrap()).unwrap();
        assert_eq!(json[0]["measure"], "start");
        assert_eq!(json[0]["results"][1]["met"], false);
        assert_eq!(
            json[0]["columns"][1]["samples"],
            serde_json::json!([3.0, 3.0])
        );
    }
}
