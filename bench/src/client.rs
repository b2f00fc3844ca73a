//! Owns the caller: one connection of HTTP/1.1, kept open, whose requests are bytes made beforehand.
//! Invariant: it does as little as it can, so that what is measured is the server; and it reads every
//! answer whole and takes none for good but a 200.

use std::net::SocketAddr;

use anyhow::{Context, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The largest answer.
const ANSWER_MAX: usize = 1 << 20;

/// A request, as its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Shot {
    /// Where it goes.
    pub(crate) to: SocketAddr,
    bytes: Vec<u8>,
}

impl Shot {
    /// A request with these headers and this body.
    pub(crate) fn new(
        to: SocketAddr,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Self {
        let mut text = format!("{method} {path} HTTP/1.1\r\nhost: {to}\r\n");
        for (name, value) in headers {
            text.extend([*name, ": ", *value, "\r\n"]);
        }
        if !body.is_empty() {
            text.push_str("content-type: application/json\r\ncontent-length: ");
            text.push_str(&body.len().to_string());
            text.push_str("\r\n");
        }
        text.push_str("\r\n");
        text.push_str(body);
        Self { to, bytes: text.into_bytes() }
    }

    /// The same request, elsewhere.
    #[must_use]
    pub(crate) fn at(&self, to: SocketAddr) -> Self {
        Self { to, ..self.clone() }
    }
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// When nobody listens there.
    pub(crate) async fn open(to: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(to).await.context("connects")?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(16 * 1024) })
    }

    /// Sends a request and reads the body of its answer.
    ///
    /// # Errors
    /// When the answer is another than a 200 of a known length.
    pub(crate) async fn exchange(&mut self, shot: &Shot) -> anyhow::Result<&[u8]> {
        self.stream.write_all(&shot.bytes).await?;
        self.buffer.clear();
        let (start, end) = loop {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the server closed the connection");
            }
            if let Some(head) = head_end(&self.buffer) {
                let length = length(self.buffer.get(..head).unwrap_or_default())?;
                break (head, head + length);
            }
        };
        while self.buffer.len() < end {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the answer was cut off");
            }
        }
        if !self.buffer.starts_with(b"HTTP/1.1 200 ") {
            bail!("not a 200: {}", String::from_utf8_lossy(&self.buffer));
        }
        Ok(self.buffer.get(start..end).unwrap_or_default())
    }
}

fn head_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

/// The length that a head tells.
fn length(head: &[u8]) -> anyhow::Result<usize> {
    let head = std::str::from_utf8(head).context("a head in text")?;
    let told = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    told.filter(|length| *length <= ANSWER_MAX).with_context(|| format!("no length: {head}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_read_whatever_the_case_of_its_name() {
        assert_eq!(length(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n").expect("a length"), 12);
        assert!(length(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").is_err());
        assert_eq!(head_end(b"a: b\r\n\r\nbody"), Some(8));
    }
}
