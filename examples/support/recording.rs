//! Reads recorded movement: a table of where each agent stood in each frame.
//!
//! The format is `frame,id,x,y` or `frame,id,x,y,z`, one row for each agent that exists in a frame,
//! sorted by frame, then id; frames run from 0 to the last without a hole. The reader is strict: a
//! file that is not exactly this would be played as something that nobody recorded, so it is
//! refused, with the line and the reason.

use std::{
    collections::HashSet,
    error::Error,
    fmt::{self, Display, Formatter},
    ops::Range,
    path::{Path, PathBuf},
};

/// One agent in one frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The frame, counted from 0.
    pub frame: u32,
    /// The agent, as the file calls it.
    pub id: u32,
    /// Where it stands, in the unit of the file; the third number is 0 in two dimensions.
    pub at: [f32; 3],
}

/// A whole recording, in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// How many coordinates a row of the file has: 2 or 3.
    pub dimensions: usize,
    rows: Vec<Row>,
    /// Which rows each frame has.
    frames: Vec<Range<usize>>,
    agents: usize,
}

impl Recording {
    /// Reads a file, or says which line of it is wrong and why.
    pub fn read(path: &Path) -> Result<Self, RecordingError> {
        let wrong = |line, why| RecordingError {
            path: path.to_owned(),
            line,
            why,
        };
        let bytes = std::fs::read(path).map_err(|error| wrong(None, error.to_string()))?;
        let mut lines = Lines::new(&bytes);
        lines.parse().map_err(|why| wrong(Some(lines.line()), why))
    }

    /// How many frames there are: the last one + 1.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// How many different agents there are in all frames together.
    pub fn agents(&self) -> usize {
        self.agents
    }

    /// The agents that exist in a frame, ascending by id. Panics if there is no such frame.
    pub fn frame(&self, frame: usize) -> &[Row] {
        &self.rows[self.frames[frame].clone()]
    }
}

impl Display for Recording {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let (agents, frames, dimensions) = (self.agents(), self.frames(), self.dimensions);
        write!(f, "{agents} agents, {frames} frames, {dimensions}D")
    }
}

/// Why a file is not a recording, with the file and, if it could be read at all, the line.
#[derive(Debug)]
pub struct RecordingError {
    path: PathBuf,
    line: Option<u64>,
    why: String,
}

impl Display for RecordingError {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        write!(f, ": {}", self.why)
    }
}

impl Error for RecordingError {}

/// The records of a file and the line that the newest of them stands on.
struct Lines<'a> {
    bytes: &'a [u8],
    reader: csv::Reader<&'a [u8]>,
    record: csv::ByteRecord,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        // No quotes: the format has no text, and a stray one must not swallow the lines after it.
        // Any number of columns: this file words the error itself.
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .quoting(false)
            .from_reader(bytes);
        Self {
            bytes,
            reader,
            record: csv::ByteRecord::new(),
        }
    }

    /// Goes to the next record; false at the end of the file.
    fn next(&mut self) -> Result<bool, String> {
        let read = self.reader.read_byte_record(&mut self.record);
        read.map_err(|error| error.to_string())
    }

    /// The line of the newest record, from 1. A record's own position is no help: it is taken
    /// before the empty lines and the second half of a line break that precede the record.
    fn line(&self) -> u64 {
        let end = self.reader.position();
        let read = &self.bytes[..end.byte() as usize];
        end.line() - u64::from(read.last() == Some(&b'\n'))
    }

    /// The whole file. Where it fails, `line()` is the line that is wrong.
    fn parse(&mut self) -> Result<Recording, String> {
        if !self.next()? {
            return Err("the file is empty".to_owned());
        }
        let dimensions = dimensions(&self.record)?;
        let (mut rows, mut frames) = (Vec::<Row>::new(), Vec::<Range<usize>>::new());
        while self.next()? {
            let row = row(&self.record, dimensions)?;
            check_order(row, rows.last())?;
            if row.frame as usize == frames.len() {
                frames.push(rows.len()..rows.len());
            }
            frames[row.frame as usize].end += 1;
            rows.push(row);
        }
        if rows.is_empty() {
            return Err("there is no row after the header".to_owned());
        }
        let agents = rows.iter().map(|row| row.id).collect::<HashSet<_>>().len();
        Ok(Recording {
            dimensions,
            rows,
            frames,
            agents,
        })
    }
}

/// How many coordinates the header announces.
fn dimensions(header: &csv::ByteRecord) -> Result<usize, String> {
    for columns in ["frame,id,x,y", "frame,id,x,y,z"] {
        if header.iter().eq(columns.split(',').map(str::as_bytes)) {
            return Ok(header.len() - 2);
        }
    }
    let found: Vec<_> = header.iter().map(String::from_utf8_lossy).collect();
    Err(format!(
        "the header is `{}`, it should be `frame,id,x,y` or `frame,id,x,y,z`",
        found.join(",")
    ))
}

fn row(record: &csv::ByteRecord, dimensions: usize) -> Result<Row, String> {
    if record.len() != dimensions + 2 {
        let (found, wanted) = (record.len(), dimensions + 2);
        return Err(format!("{found} columns, the header has {wanted}"));
    }
    let mut at = [0.0; 3];
    for ((coordinate, field), name) in at
        .iter_mut()
        .zip(record.iter().skip(2))
        .zip(["x", "y", "z"])
    {
        *coordinate = number(name, field)?;
    }
    Ok(Row {
        frame: integer("frame", &record[0])?,
        id: integer("id", &record[1])?,
        at,
    })
}

fn integer(name: &str, field: &[u8]) -> Result<u32, String> {
    let text = String::from_utf8_lossy(field);
    let digits = text.strip_prefix('-').unwrap_or(&text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("{name} `{text}` is not an integer"));
    }
    if digits.len() < text.len() {
        return Err(format!("{name} `{text}` is negative"));
    }
    text.parse()
        .map_err(|_| format!("{name} `{text}` does not fit 32 bits"))
}

fn number(name: &str, field: &[u8]) -> Result<f32, String> {
    let text = String::from_utf8_lossy(field);
    let Ok(number) = text.parse::<f64>() else {
        return Err(format!("{name} `{text}` is not a number"));
    };
    // Rounded once, from the f64, as every other reader of these files does it.
    let number = number as f32;
    if number.is_finite() {
        Ok(number)
    } else {
        Err(format!("{name} `{text}` is not a finite 32-bit number"))
    }
}

/// Whether `row` may come after the row `before` it (none: it is the first).
fn check_order(row: Row, before: Option<&Row>) -> Result<(), String> {
    let Row { frame, id, .. } = row;
    let Some(before) = before else {
        return match frame {
            0 => Ok(()),
            _ => Err(format!("the first frame is {frame}, it should be 0")),
        };
    };
    if (frame, id) == (before.frame, before.id) {
        Err(format!("a second row for agent {id} in frame {frame}"))
    } else if (frame, id) < (before.frame, before.id) {
        Err(format!(
            "frame {frame}, agent {id} comes after frame {}, agent {}: rows must be sorted",
            before.frame, before.id
        ))
    } else if frame - before.frame > 1 {
        Err(format!(
            "frame {frame} comes after frame {}: a hole",
            before.frame
        ))
    } else {
        Ok(())
    }
}
