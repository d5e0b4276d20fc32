//! Recorded movement of real people tells what brute force says it must, event for event.
//!
//! `AOI_RECORDINGS` names the folder, `assets/recordings` is the default; its `expected.json` says which
//! files to play with which radii, and what `oracle.py` counted. The reader of recordings is tested here
//! as well: each kind of bad file is refused, with the line that is wrong.

use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    sync::Mutex,
    thread,
};

#[path = "../examples/support/recording.rs"]
mod recording;
#[path = "../examples/support/replay.rs"]
mod replay;
#[path = "support/threads.rs"]
mod threads;

use recording::Recording;
use replay::{Outcome, replay};

#[test]
fn recorded_movement_tells_what_brute_force_says() {
    threads::from_environment();
    let folder = std::env::var_os("AOI_RECORDINGS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/recordings"),
        PathBuf::from,
    );
    let runs = expected_runs(&folder);
    assert!(!runs.is_empty(), "{} expects nothing", folder.display());

    // Each worker takes the next run that nobody has taken yet.
    let (queue, failures) = (Mutex::new(runs.iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap().next();
                    let Some(run) = next else { break };
                    if let Err(difference) = run.play() {
                        failures.lock().unwrap().push(difference);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// One file with one radius, and what must come out.
struct ExpectedRun {
    path: PathBuf,
    radius: f64,
    outcome: Outcome,
}

impl ExpectedRun {
    fn play(&self) -> Result<(), String> {
        let recording = Recording::read(&self.path).map_err(|error| error.to_string())?;
        let outcome = replay(&recording, self.radius as f32, || ());
        if outcome == self.outcome {
            return Ok(());
        }
        let (path, radius) = (self.path.display(), self.radius);
        Err(format!(
            "{path}, radius {radius}: wanted {:?}, told {outcome:?}",
            self.outcome
        ))
    }
}

/// All files and radii of `expected.json`.
fn expected_runs(folder: &Path) -> Vec<ExpectedRun> {
    let path = folder.join("expected.json");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let expected: Value = serde_json::from_str(&text).unwrap();
    let mut runs = Vec::new();
    for (name, recording) in expected.as_object().expect("an object by recording") {
        let file = recording["file"]
            .as_str()
            .map_or_else(|| format!("{name}.csv"), str::to_owned);
        for run in recording["radii"].as_array().expect("a list of radii") {
            let count = |field: &str| {
                run[field]
                    .as_u64()
                    .unwrap_or_else(|| panic!("{name}: no {field}"))
            };
            runs.push(ExpectedRun {
                path: folder.join(&file),
                radius: run["radius"].as_f64().expect("a radius"),
                outcome: Outcome {
                    enter: count("enter"),
                    leave: count("leave"),
                    open: count("open_at_end"),
                    sha256: run["events_sha256"].as_str().expect("a digest").to_owned(),
                },
            });
        }
    }
    runs
}

/// A recording is read back number for number, frames and agents counted as they are.
#[test]
fn a_recording_is_read() {
    let text = "frame,id,x,y,z\n0,7,0.5,-2,1e3\n0,9,0.1,2,3\n1,7,4,5,6\n2,3,7,8,9\n2,7,-0.0,1,2\n";
    let recording = read("good", text).unwrap();
    assert_eq!(
        (recording.dimensions, recording.frames(), recording.agents()),
        (3, 3, 3)
    );
    let frame = |i: usize| {
        recording
            .frame(i)
            .iter()
            .map(|row| (row.frame, row.id, row.at))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        frame(0),
        [(0, 7, [0.5, -2.0, 1000.0]), (0, 9, [0.1, 2.0, 3.0])]
    );
    assert_eq!(frame(1), [(1, 7, [4.0, 5.0, 6.0])]);
    assert_eq!(frame(2), [(2, 3, [7.0, 8.0, 9.0]), (2, 7, [0.0, 1.0, 2.0])]);
    assert_eq!(recording.to_string(), "3 agents, 3 frames, 3D");

    let flat = read("flat", "frame,id,x,y\r\n0,7,0.5,-2\r\n").unwrap();
    assert_eq!(
        (flat.dimensions, flat.frame(0)[0].at),
        (2, [0.5, -2.0, 0.0])
    );
}

/// Each fault is refused with its line and the reason.
#[test]
fn a_bad_recording_is_refused_with_its_line() {
    let faults = [
        ("", 1, "the file is empty"),
        ("frame,id,x,y\n", 1, "no row after the header"),
        ("0,1,2,3\n", 1, "the header is `0,1,2,3`"),
        ("frame,id,x\n0,1,2\n", 1, "the header is `frame,id,x`"),
        ("frame,id,x,y,z,w\n0,1,2,3,4,5\n", 1, "the header is"),
        ("frame,id,y,x\n0,1,2,3\n", 1, "the header is"),
        ("frame,id,x,y\n0,1,2\n", 2, "3 columns, the header has 4"),
        (
            "frame,id,x,y\n0,1,2,3\n0,2,2,3,4\n",
            3,
            "5 columns, the header has 4",
        ),
        (
            "frame,id,x,y\n0,1,2,3\n0,2,2,three\n",
            3,
            "y `three` is not a number",
        ),
        ("frame,id,x,y\n0,1,,3\n", 2, "x `` is not a number"),
        (
            "frame,id,x,y\n0,1,\"2,3\n0,2,2,3\n",
            2,
            "x `\"2` is not a number",
        ),
        ("frame,id,x,y\n0,1,2,nan\n", 2, "y `nan` is not a finite"),
        ("frame,id,x,y\n0,1,-inf,3\n", 2, "x `-inf` is not a finite"),
        ("frame,id,x,y\n0,1,1e39,3\n", 2, "x `1e39` is not a finite"),
        ("frame,id,x,y\n0,-1,2,3\n", 2, "id `-1` is negative"),
        ("frame,id,x,y\n-1,1,2,3\n", 2, "frame `-1` is negative"),
        ("frame,id,x,y\n0,1.5,2,3\n", 2, "id `1.5` is not an integer"),
        ("frame,id,x,y\n0,+1,2,3\n", 2, "id `+1` is not an integer"),
        ("frame,id,x,y\n0,,2,3\n", 2, "id `` is not an integer"),
        (
            "frame,id,x,y\n0,4294967296,2,3\n",
            2,
            "id `4294967296` does not fit",
        ),
        ("frame,id,x,y\n0,2,2,3\n0,1,2,3\n", 3, "must be sorted"),
        (
            "frame,id,x,y\n0,1,2,3\n1,1,2,3\n0,2,2,3\n",
            4,
            "must be sorted",
        ),
        (
            "frame,id,x,y\n0,1,2,3\n0,1,2,3\n",
            3,
            "a second row for agent 1 in frame 0",
        ),
        (
            "frame,id,x,y\n0,1,2,3\n2,1,2,3\n",
            3,
            "frame 2 comes after frame 0: a hole",
        ),
        ("frame,id,x,y\n1,1,2,3\n", 2, "the first frame is 1"),
    ];
    for (i, (text, line, why)) in faults.into_iter().enumerate() {
        let error = read(&format!("fault-{i}"), text).expect_err(text);
        assert!(
            error.starts_with(&format!(", line {line}: ")),
            "{text:?}: {error}"
        );
        assert!(error.contains(why), "{text:?}: {error}");
    }
}

/// Line numbers are those of an editor, whatever the line breaks and with empty lines in between.
#[test]
fn the_line_of_a_fault_is_that_of_an_editor() {
    let text = "frame,id,x,y\n0,1,2,3\n0,2,2,3\n0,3,2,bad\n";
    for (i, (line_break, line)) in [("\n", 4), ("\r\n", 4), ("\n\n", 7), ("\r\n\r\n", 7)]
        .into_iter()
        .enumerate()
    {
        let error = read(&format!("break-{i}"), &text.replace('\n', line_break)).unwrap_err();
        assert_eq!(error, format!(", line {line}: y `bad` is not a number"));
    }
    let error = read("no-last-break", text.trim_end()).unwrap_err();
    assert!(error.starts_with(", line 4: "), "{error}");
}

/// A file that cannot be read is named; it has no line.
#[test]
fn a_missing_recording_is_named() {
    let error = Recording::read(Path::new("no/such/recording.csv"))
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("no/such/recording.csv: "), "{error}");
}

/// Writes a file and reads it as a recording. The error is without the file, which it must begin with.
fn read(name: &str, text: &str) -> Result<Recording, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recordings");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}.csv"));
    std::fs::write(&path, text).unwrap();
    Recording::read(&path).map_err(|error| {
        let (error, file) = (error.to_string(), path.display().to_string());
        error
            .strip_prefix(&file)
            .expect("the file comes first")
            .to_owned()
    })
}
