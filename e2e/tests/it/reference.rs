//! The reference page as it is served: to anybody, with a policy that lets nothing load or run.

use contract::Registry;
use e2e::World;

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_page_is_served_to_anybody_and_may_load_nothing() {
    let world = World::empty().await;
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let answer = client.get(format!("{}/reference", world.url)).send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    let header = |name: &str| {
        answer
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(header("content-type"), "text/html; charset=utf-8");
    assert_eq!(header("x-content-type-options"), "nosniff");
    let policy = header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    let page = answer.text().await.expect("a text");
    for verb in Registry::get().iter() {
        assert!(page.contains(&format!("id=\"{}\"", verb.name)), "{}", verb.name);
    }
}
