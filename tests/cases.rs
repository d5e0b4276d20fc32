//! The scenario files of a folder, each played on a real `App`.
//!
//! `AOI_CASES` names the folder, `tests/cases` is the default; `README.md` in that folder defines the
//! format. A harness of its own, because the number of tests is the number of files and the last line is
//! made to be read by other programs: `N passed, F failed, M skipped (FOLDER)`. Arguments are ignored, so
//! that `cargo test -- --nocapture` and its like reach the other tests.

use std::{
    any::Any,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    process::ExitCode,
};

#[expect(dead_code, reason = "other set-ups and hooks are for other tests")]
#[path = "support/scenario.rs"]
mod scenario;
#[path = "support/threads.rs"]
mod threads;

use scenario::{Root, Run, Scenario, Setup};

/// The commonest app: the default schedule, with Bevy's own transform systems.
const SETUP: Setup = Setup {
    fixed: false,
    transform_plugin: true,
    root: Root::None,
};

fn main() -> ExitCode {
    threads::from_environment();
    let (folder, shown) = match std::env::var_os("AOI_CASES") {
        Some(folder) => (PathBuf::from(&folder), PathBuf::from(folder)),
        None => (
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"),
            PathBuf::from("tests/cases"),
        ),
    };
    let (mut passed, mut failed) = (0, 0);
    match files(&folder) {
        Ok(files) if files.is_empty() => {
            failed = 1;
            println!("FAILED {}: no *.json there", shown.display());
        }
        Err(error) => {
            failed = 1;
            println!("FAILED {}: {error}", shown.display());
        }
        Ok(files) => {
            for file in files {
                match play(&file) {
                    Ok(()) => passed += 1,
                    Err(differences) => {
                        failed += 1;
                        println!("FAILED {}", file.display());
                        for difference in differences {
                            println!("    {difference}");
                        }
                    }
                }
            }
        }
    }
    println!(
        "{passed} passed, {failed} failed, 0 skipped ({})",
        shown.display()
    );
    ExitCode::from(u8::from(failed > 0))
}

/// The `*.json` files of a folder, by name; those of its subfolders do not count.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
            && !path.is_dir()
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Plays one file. A panic is a failure of this file, and the others are played all the same.
fn play(file: &Path) -> Result<(), Vec<String>> {
    let play = || {
        let scenario = Scenario::read(file).map_err(|broken| vec![broken])?;
        Run::new(scenario.plane, SETUP).play(&scenario, &mut |_, _| Ok(()))
    };
    catch_unwind(AssertUnwindSafe(play))
        .unwrap_or_else(|panic| Err(vec![format!("panicked: {}", text_of(&*panic))]))
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied())
        .unwrap_or("no text")
}
