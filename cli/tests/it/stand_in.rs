//! A server that answers what it is told and keeps what it was sent.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

/// A request as it came.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Sent {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// A stand-in for the service.
#[derive(Debug)]
pub(crate) struct StandIn {
    pub(crate) url: String,
    sent: Receiver<Sent>,
}

impl StandIn {
    /// Gives these answers (a status line and a body each), one a connection.
    pub(crate) fn answering(answers: Vec<(&'static str, String)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listens");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (sender, sent) = channel();
        std::thread::spawn(move || {
            for (status, body) in answers {
                let (stream, _) = listener.accept().expect("accepts");
                let request = read(&stream);
                write(&stream, status, &body);
                drop(sender.send(request));
            }
        });
        Self { url, sent }
    }

    pub(crate) fn sent(&self) -> Sent {
        let wait = std::time::Duration::from_secs(10);
        self.sent.recv_timeout(wait).expect("a request was sent")
    }
}

fn read(stream: &TcpStream) -> Sent {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("reads");
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let headers: Vec<(String, String)> = lines[1..]
        .iter()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.map_or(0, |(_, value)| value.parse().expect("a number"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("reads");
    let body = String::from_utf8(body).expect("text");
    Sent { line: lines[0].clone(), headers, body }
}

fn write(mut stream: &TcpStream, status: &str, body: &str) {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n");
    let location = if status.starts_with("30") { "location: /elsewhere\r\n" } else { "" };
    stream.write_all(format!("{head}{location}\r\n{body}").as_bytes()).expect("writes");
}
