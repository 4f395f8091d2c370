//! Measuring in alternation: each round asks every contender once, one right after the other, so
//! that whatever the machine does, it does to all of them.

use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    contender::Contender,
    effort::{Effort, Rounds},
    fault::Fault,
    folders::Folders,
    machine::Cpu,
    row::{Column, Row, Series},
};

/// Everything that a measurement needs.
#[derive(Debug)]
pub struct Field {
    /// Who is measured; the floor is the first.
    pub contenders: Vec<Contender>,
    /// Where they work.
    pub folders: Folders,
    /// How thoroughly.
    pub effort: Effort,
}

impl Field {
    /// Measures all contenders in alternation.
    ///
    /// `prepare` gets a contender ready and is not measured; `trial` gives one sample for each
    /// row. A contender that fails is left out from there on, with its reason.
    pub fn alternate<S, const N: usize>(
        &self,
        rows: [Row; N],
        rounds: Rounds,
        prepare: impl Fn(&Contender) -> Result<S, Fault>,
        trial: impl Fn(&Contender, &mut S) -> Result<[f64; N], Fault>,
    ) -> Vec<Series> {
        let before = Cpu::now();
        let progress = progress(rows.first().map_or("", |row| &row.what), rounds);
        let mut runners: Vec<_> = self
            .contenders
            .iter()
            .map(|contender| Runner {
                contender,
                state: prepare(contender),
                samples: Vec::new(),
            })
            .collect();
        for round in 0..rounds.warm_up + rounds.counted {
            // Every other round backwards: nobody always comes behind the same one.
            let mut order: Vec<_> = runners.iter_mut().collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for runner in order {
                runner.run(&trial, round >= rounds.warm_up);
            }
            progress.inc(1);
        }
        progress.finish_and_clear();
        let results: Vec<_> = runners.into_iter().map(Runner::finish).collect();
        // Only now have all contenders ended, and their CPU time is ours.
        let noise = Cpu::now().noise_since(before);
        let series = |(index, row): (usize, Row)| Series {
            row,
            columns: results.iter().map(|result| result.column(index)).collect(),
            noise,
        };
        rows.into_iter().enumerate().map(series).collect()
    }
}

/// A contender in the middle of a measurement.
struct Runner<'a, S, const N: usize> {
    contender: &'a Contender,
    state: Result<S, Fault>,
    samples: Vec<[f64; N]>,
}

impl<S, const N: usize> Runner<'_, S, N> {
    fn run(&mut self, trial: impl Fn(&Contender, &mut S) -> Result<[f64; N], Fault>, counts: bool) {
        let Ok(state) = &mut self.state else { return };
        match trial(self.contender, state) {
            Ok(sample) if counts => self.samples.push(sample),
            Ok(_) => {}
            Err(fault) => self.state = Err(fault),
        }
    }

    /// Ends the contender.
    fn finish(self) -> Finished<N> {
        Finished {
            contender: self.contender.name.clone(),
            samples: self.samples,
            fault: self.state.err().map(|fault| fault.to_string()),
        }
    }
}

struct Finished<const N: usize> {
    contender: String,
    samples: Vec<[f64; N]>,
    fault: Option<String>,
}

impl<const N: usize> Finished<N> {
    fn column(&self, row: usize) -> Column {
        Column {
            contender: self.contender.clone(),
            samples: self
                .samples
                .iter()
                .filter_map(|sample| sample.get(row))
                .copied()
                .collect(),
            fault: self.fault.clone(),
        }
    }
}

/// A bar on stderr, where that is a terminal.
fn progress(what: &str, rounds: Rounds) -> ProgressBar {
    let bar = ProgressBar::new((rounds.warm_up + rounds.counted) as u64);
    if let Ok(style) = ProgressStyle::with_template("{msg:50} {wide_bar} {pos}/{len} {elapsed}") {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::row::Target;

    fn field(names: &[&str]) -> Field {
        Field {
            contenders: names
                .iter()
                .map(|name| Contender::peer(name, "true"))
                .collect(),
            folders: Folders::new().unwrap(),
            effort: Effort {
                quick: false,
                rounds: None,
            },
        }
    }

    #[test]
    fn contenders_alternate_and_one_that_fails_drops_out() {
        let asked = RefCell::new(Vec::new());
        let series = field(&["a", "b"]).alternate(
            [
                Row::time("time", Target::None),
                Row::count("number", Target::None),
            ],
            Rounds {
                warm_up: 1,
                counted: 2,
            },
            |_| Ok(0.0),
            |contender, count| {
                asked.borrow_mut().push(contender.name.clone());
                *count += 1.0;
                if contender.name == "b" && *count > 2.0 {
                    return Err(Fault::Interrupted);
                }
                Ok([*count, -*count])
            },
        );
        assert_eq!(asked.into_inner(), ["a", "b", "b", "a", "a", "b"]);
        let samples: Vec<Vec<&[f64]>> = series
            .iter()
            .map(|series| {
                series
                    .columns
                    .iter()
                    .map(|column| column.samples.as_slice())
                    .collect()
            })
            .collect();
        assert_eq!(
            samples,
            [[&[2.0, 3.0][..], &[2.0]], [&[-2.0, -3.0], &[-2.0]]]
        );
        let faults: Vec<bool> = series[0]
            .columns
            .iter()
            .map(|column| column.fault.is_some())
            .collect();
        assert_eq!(faults, [false, true]);
    }
}
