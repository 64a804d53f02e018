// SPDX-License-Identifier: MIT
//! The operations of run.py with rig-memory and its store of directories: `OPERATION TARGET COUNT [SIZE]`, the text of
//! a message on standard input. Prints {"ms","count","peak_kib"}. rig-memory never flushes an append.
use rig_core::conversation::Conversation;
use rig_core::message::Message;
use rig_memory::{apply_summary, load, save, DirFiles, DirStore, SessionMeta, Store, SummaryState, Writer};
use std::error::Error;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

const LOG: &str = "agent";

fn message(number: usize, text: &str) -> Message {
    if number % 2 == 0 { Message::user(text) } else { Message::assistant(text) }
}

fn body_of(conversation: &Conversation) -> Outcome<String> {
    let messages: Vec<&Message> = conversation.messages().iter().map(|each| &**each).collect();
    Ok(serde_json::to_string(&messages)?)
}

fn append(target: &Path, count: usize, text: &str) -> Outcome<(Instant, usize)> {
    let store: Arc<dyn Store> = Arc::new(DirStore::open(target.join("session"))?);
    let (writer, _) = Writer::open(store)?;
    writer.start();
    writer.open_log(LOG, None);
    let mut conversation = Conversation::new();
    let begin = Instant::now();
    for _ in 0..count {
        conversation.push(Message::user(text));
        writer.save(LOG, &mut conversation);
        writer.flush()?;
    }
    Ok((begin, count))
}

fn history(target: &Path) -> Outcome<(Instant, usize)> {
    let begin = Instant::now();
    let body = body_of(&load(&DirStore::open(target)?, LOG)?)?;
    Ok((begin, std::hint::black_box(body).len()))
}

fn next(target: &Path, text: &str) -> Outcome<(Instant, usize)> {
    let mut conversation = load(&DirStore::open(target)?, LOG)?;
    std::hint::black_box(body_of(&conversation)?);
    conversation.push(Message::user(text));
    let begin = Instant::now();
    let body = body_of(&conversation)?;
    Ok((begin, std::hint::black_box(body).len()))
}

fn list(target: &Path, limit: usize) -> Outcome<(Instant, usize)> {
    let begin = Instant::now();
    let mut rows = Vec::new();
    for entry in std::fs::read_dir(target)? {
        let path = entry?.path();
        if let Some(meta) = SessionMeta::read(&DirFiles::new(&path)) {
            rows.push((meta.updated, path, meta));
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.0));
    if limit != 0 {
        rows.truncate(limit);
    }
    Ok((begin, std::hint::black_box(rows).len()))
}

fn make_history(target: &Path, count: usize, kept: usize, text: &str) -> Outcome<(Instant, usize)> {
    let begin = Instant::now();
    let mut conversation = Conversation::new();
    for number in 0..count {
        conversation.push(message(number, text));
    }
    let store = DirStore::open(target)?;
    save(&store, LOG, &mut conversation)?;
    if kept != 0 {
        let state = SummaryState { summary: text.to_owned(), ..SummaryState::default() };
        let from = conversation.id(count - kept);
        apply_summary(&mut conversation, from, &state).ok_or("no summary")?;
        save(&store, LOG, &mut conversation)?;
    }
    Ok((begin, count))
}

fn make_list(target: &Path, count: usize, size: usize, text: &str) -> Outcome<(Instant, usize)> {
    let begin = Instant::now();
    for number in 0..count {
        let folder = target.join(format!("session-{number}"));
        make_history(&folder, size, 0, text)?;
        let meta = SessionMeta { updated: number as u64, messages: size, ..SessionMeta::default() };
        meta.write(&DirFiles::new(&folder))?;
    }
    Ok((begin, count))
}

/// Kilobytes that the kernel counted.
fn peak_kib() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.split_whitespace().nth(1).ok_or("no number")?.parse()?)
}

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().collect();
    let number = |at: usize| words.get(at).map_or(Ok(0), |word| word.parse::<usize>());
    let (target, count, size) = (Path::new(&words[2]), number(3)?, number(4)?);
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let (begin, done) = match words[1].as_str() {
        "append" => append(target, count, &text)?,
        "history" => history(target)?,
        "next" => next(target, &text)?,
        "list" => list(target, count)?,
        "make_history" => make_history(target, count, size, &text)?,
        "make_list" => make_list(target, count, size, &text)?,
        other => return Err(format!("there is no operation {other}").into()),
    };
    let ms = begin.elapsed().as_secs_f64() * 1000.0;
    println!("{{\"ms\":{ms:.6},\"count\":{done},\"peak_kib\":{}}}", peak_kib()?);
    Ok(())
}
