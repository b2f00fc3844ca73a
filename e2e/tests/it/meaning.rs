//! Finding by meaning: vectors that callers give, whose count, and what is refused where there is none.

use e2e::World;
use serde_json::{Value, json};

const MODEL: &str = "test-3d";

/// Content of six passages or so, each about one thing: reads it as `token` and answers its handle.
async fn story(world: &World, token: &str) -> String {
    let said = world.call(token, "shop/tickets.log.read", json!({})).await;
    said.result()["handle"].as_str().expect("a handle").to_owned()
}

fn vectors(all: &[(u32, [f64; 3])]) -> Value {
    all.iter().map(|(number, vector)| json!({ "number": number, "vector": vector })).collect()
}

async fn embed(world: &World, token: &str, handle: &str, all: &[(u32, [f64; 3])]) -> e2e::Said {
    let body = json!({ "model": MODEL, "vectors": vectors(all) });
    world.rest(token, "POST", &format!("/v1/content/{handle}/vectors"), body).await
}

async fn near(world: &World, token: &str, body: Value) -> e2e::Said {
    world.rest(token, "POST", "/v1/content/near", body).await
}

fn numbers(said: &e2e::Said) -> Vec<u64> {
    let hits = said.result()["hits"].as_array().expect("hits");
    hits.iter().map(|hit| hit["number"].as_u64().expect("a number")).collect()
}

const TOWARDS: [(u32, [f64; 3]); 4] =
    [(0, [1.0, 0.0, 0.0]), (1, [0.0, 1.0, 0.0]), (2, [0.9, 0.1, 0.0]), (3, [-1.0, 0.0, 0.2])];

#[tokio::test(flavor = "multi_thread")]
async fn what_was_given_is_found_by_meaning() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let handle = story(&world, bot).await;
    let path = format!("/v1/content/{handle}/passages?model={MODEL}&limit=3");
    let read = world.must(bot, "GET", &path, Value::Null).await;
    assert_eq!(read["passages"][2]["number"], 2, "{read}");
    assert_eq!(read["passages"][2]["embedded"], false, "{read}");
    let of = read["of"].as_u64().expect("a count");
    assert_eq!(read["left"].as_u64(), Some(of - 3), "{read}");
    // The run holds untrusted content by now, and giving its vectors is not held all the same.
    let given = embed(&world, bot, &handle, &TOWARDS).await;
    assert_eq!(given.result()["given"], 4, "{}", given.body);
    assert_eq!(given.body["written"][0]["object"]["id"], json!(handle));
    let again = world.must(bot, "GET", &path, Value::Null).await;
    assert_eq!(again["passages"][2]["embedded"], true, "{again}");

    let asked =
        near(&world, bot, json!({ "vector": [1, 0, 0], "model": MODEL, "around": 3 })).await;
    assert_eq!(numbers(&asked), [0, 2, 1, 3], "{}", asked.body);
    assert!(asked.body["hints"].to_string().contains("more_follows"), "{}", asked.body);
    let body = json!({ "vector": [1, 0, 0], "model": MODEL, "around": 1, "limit": 2 });
    let asked = near(&world, bot, body).await;
    assert_eq!(numbers(&asked), [0, 2], "{}", asked.body);
    assert!(!asked.body["hints"].to_string().contains("more_follows"), "{}", asked.body);
    let hits = &asked.result()["hits"];
    assert_eq!((hits[0]["likeness"].as_f64(), hits[0]["before"].clone()), (Some(1.0), json!([])));
    assert_eq!(hits[0]["passage"], read["passages"][0]["text"]);
    assert_eq!(hits[0]["after"], json!([read["passages"][1]["text"]]));
    assert_eq!(hits[1]["before"], json!([read["passages"][1]["text"]]));
    assert_eq!(asked.result()["compared"], 4);
    assert_eq!(hits[0]["given_by"], world.id("principal/shop-bot"));

    let body = json!({ "handle": handle, "number": 2, "model": MODEL, "limit": 1, "around": 0 });
    let asked = near(&world, bot, body).await;
    assert_eq!(numbers(&asked), [0], "itself is left out: {}", asked.body);
    // Given again, the caller's own are replaced.
    embed(&world, bot, &handle, &[(0, [0.0, 0.0, 1.0])]).await;
    let asked = near(&world, bot, json!({ "vector": [1, 0, 0], "model": MODEL })).await;
    assert_eq!(numbers(&asked), [2, 0, 1, 3], "{}", asked.body);
    assert_eq!(asked.result()["compared"], 4);
    let other = json!({ "vector": [1, 0, 0], "model": MODEL, "media_type": "text/csv" });
    assert_eq!(numbers(&near(&world, bot, other).await), [0; 0], "the filter holds");
}

#[tokio::test(flavor = "multi_thread")]
async fn words_and_vectors_are_one_list_that_says_who_found_what() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let handle = story(&world, bot).await;
    let search = async |body: Value| world.must(bot, "POST", "/v1/content/search", body).await;
    let words = search(json!({ "query": "ignore instructions refund" })).await;
    assert_eq!(words["mode"], "words");
    assert!(words.get("fusion").is_none(), "{words}");
    let best = words["hits"][0]["number"].as_u64().expect("a number");
    let best = u32::try_from(best).expect("fits");
    embed(&world, bot, &handle, &[(best, [0.0, 1.0, 0.0]), (200, [1.0, 0.0, 0.0])]).await;
    let body =
        json!({ "query": "ignore instructions refund", "vector": [1, 0.1, 0], "model": MODEL });
    let both = search(body.clone()).await;
    assert_eq!(both["mode"], "words_and_vectors");
    let fusion =
        json!({ "rule": "reciprocal_rank", "k": 10, "depth": 100, "model": MODEL, "compared": 2 });
    assert_eq!(both["fusion"], fusion);
    let hit = |number: u32| {
        let hits = both["hits"].as_array().expect("hits");
        let hit = hits.iter().find(|hit| hit["number"] == json!(number));
        hit.unwrap_or_else(|| panic!("{number} is not in {both}")).clone()
    };
    assert_eq!(
        (hit(best)["words_rank"].as_u64(), hit(best)["vector_rank"].as_u64()),
        (Some(1), Some(2))
    );
    assert_eq!(both["hits"][0]["number"], json!(best), "both lists found it: {both}");
    assert_eq!(hit(200)["vector_rank"], 1);
    assert!(hit(200).get("words_rank").is_none(), "{both}");
    let mut other = body;
    other["k"] = json!(3);
    assert_eq!(search(other).await["fusion"]["k"], 3);
    // A query of no word at all is answered by its vector.
    let body = json!({ "query": "?!", "vector": [1, 0, 0], "model": MODEL, "limit": 1 });
    assert_eq!(search(body).await["hits"][0]["number"], 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_answered_is_refused_and_named() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let handle = story(&world, bot).await;
    let refused = async |body: Value| {
        let said = near(&world, bot, body).await;
        (said.code(), said.text("/refusal/field"))
    };
    let no = |code: &str, field: &str| (code.to_owned(), field.to_owned());
    let ask = json!({ "vector": [1, 0, 0], "model": MODEL });
    assert_eq!(refused(ask.clone()).await, no("no_vectors", "model"));
    let by_words = json!({ "query": "payment", "vector": [1, 0, 0], "model": MODEL });
    let said = world.rest(bot, "POST", "/v1/content/search", by_words).await;
    assert_eq!(said.code(), "no_vectors", "a vector that was given is not left out: {}", said.body);
    embed(&world, bot, &handle, &TOWARDS).await;
    let other = json!({ "vector": [1, 0, 0], "model": "another" });
    assert_eq!(refused(other).await, no("no_vectors", "model"));
    let wide = json!({ "vector": [1, 0, 0, 0], "model": MODEL });
    assert_eq!(refused(wide).await, no("no_vectors", "vector"));
    assert_eq!(refused(json!({ "text": "what" })).await, no("no_vectors", "text"));
    let passage = json!({ "handle": handle, "number": 9, "model": MODEL });
    assert_eq!(refused(passage).await, no("no_vectors", "model"));
    for (body, field) in [
        (json!({}), "vector"),
        (json!({ "vector": [1, 0, 0] }), "model"),
        (json!({ "vector": [0, 0, 0], "model": MODEL }), "vector"),
        (json!({ "vector": [1e39, 0, 0], "model": MODEL }), "vector"),
        (json!({ "vector": [1, 0, 0], "model": MODEL, "number": 1 }), "number"),
        (json!({ "vector": [1, 0, 0], "model": MODEL, "text": "what" }), "vector"),
        (json!({ "handle": handle }), "model"),
        (json!({ "handle": handle, "number": 9999, "model": MODEL }), "number"),
        (json!({ "vector": [1, "NaN"], "model": MODEL }), "vector.1"),
    ] {
        assert_eq!(refused(body.clone()).await.0, "invalid_input", "{body}");
        let said = near(&world, bot, body.clone()).await;
        assert!(said.text("/refusal/field").ends_with(field), "{body}: {}", said.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_vectors_is_said_together_and_none_is_kept() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let handle = story(&world, bot).await;
    let path = format!("/v1/content/{handle}/vectors");
    let body = json!({ "model": MODEL, "vectors": [
        { "number": 0, "vector": [1, 0, 0] }, { "number": 0, "vector": [1, 0, 0] },
        { "number": 1, "vector": [0, 0, 0] }, { "number": 2, "vector": [1, 1e39, 0] },
        { "number": 3, "vector": [1, 0] }, { "number": 99_999, "vector": [1, 0, 0] },
    ] });
    let said = world.rest(bot, "POST", &path, body).await;
    let faults = said.body["refusal"]["faults"].as_array().expect("faults").clone();
    let fields: Vec<_> =
        faults.iter().map(|fault| fault["field"].as_str().expect("a field")).collect();
    let expected = ["1.number", "2.vector", "3.vector", "4.vector", "5.number"];
    assert_eq!(fields, expected.map(|field| format!("vectors.{field}")), "{}", said.body);
    let ask = json!({ "vector": [1, 0, 0], "model": MODEL });
    assert_eq!(near(&world, bot, ask.clone()).await.code(), "no_vectors", "one was kept");
    embed(&world, bot, &handle, &TOWARDS).await;
    let wider = json!({ "model": MODEL, "vectors": [{ "number": 5, "vector": [1, 0] }] });
    let said = world.rest(bot, "POST", &path, wider).await;
    assert_eq!(said.text("/refusal/field"), "vectors.0.vector", "{}", said.body);
    let many: Vec<_> = (0..129).map(|n| (n, [1.0, 0.0, 0.0])).collect();
    assert_eq!(embed(&world, bot, &handle, &many).await.code(), "invalid_input");
}

/// Vectors are whose they were given by: a third principal's move nothing for others, and nothing is
/// said of content that one may not read.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_moves_what_others_find() {
    let mut world = World::start().await;
    let (ana, bot) = (world.ana.clone(), world.shop_bot.clone());
    let handle = story(&world, &bot).await;
    embed(&world, &bot, &handle, &TOWARDS).await;
    let ask = json!({ "vector": [1, 0, 0], "model": MODEL });
    // Ana may read the bot's content: she finds by the bot's vectors, which are of its own content.
    let hers = near(&world, &ana, ask.clone()).await;
    assert_eq!(numbers(&hers), [0, 2, 1, 3], "{}", hers.body);
    assert_eq!(hers.result()["hits"][0]["given_by"], world.id("principal/shop-bot"));
    // She turns everything round; for her it is so, for the bot it is as before.
    let turned = TOWARDS.map(|(number, [x, y, z])| (number, [-x, y, z]));
    assert_eq!(embed(&world, &ana, &handle, &turned).await.status, 200);
    let hers = near(&world, &ana, ask.clone()).await;
    assert_eq!(numbers(&hers), [3, 1, 2, 0], "{}", hers.body);
    assert_eq!(hers.result()["hits"][0]["given_by"], world.id("principal/ana"));
    let its = near(&world, &bot, ask.clone()).await;
    assert_eq!(numbers(&its), [0, 2, 1, 3], "{}", its.body);
    assert_eq!(its.result()["compared"], 4);
    // Another who may read all finds by the bot's, and not by hers.
    let eva = world.principal(&ana, "user", "eva", "autonomous", &[("owner", "acme")]).await;
    let said = near(&world, &eva, ask.clone()).await;
    assert_eq!(numbers(&said), [0, 2, 1, 3], "{}", said.body);
    assert_eq!(said.result()["hits"][0]["given_by"], world.id("principal/shop-bot"));
    // A neighbour is told what somebody is told who has nothing.
    let neighbour = world.returns_bot.clone();
    assert_eq!(near(&world, &neighbour, ask.clone()).await.code(), "no_vectors");
    assert_eq!(embed(&world, &neighbour, &handle, &TOWARDS).await.code(), "not_found");
    let absent = contract::sample::text("content", 77);
    assert_eq!(embed(&world, &neighbour, &absent, &TOWARDS).await.code(), "not_found");
    let path = format!("/v1/content/{handle}/passages");
    assert_eq!(world.rest(&neighbour, "GET", &path, Value::Null).await.code(), "not_found");
    // And another's width keeps nobody from their own.
    assert_eq!(near(&world, &world.globex_bot, ask).await.code(), "no_vectors");
}

/// Who sees personal values may have made vectors of them, so they are compared for nobody who does not.
#[tokio::test(flavor = "multi_thread")]
async fn a_vector_of_unmasked_values_is_no_oracle() {
    let mut world = World::start().await;
    let ana = world.ana.clone();
    let path = "shop/checkout/billing.customer.lookup";
    world.call(&ana, path, json!({ "id": "c1" })).await.result();
    let found =
        world.must(&ana, "POST", "/v1/content/search", json!({ "query": "Marta Reis" })).await;
    let handle = found["hits"][0]["handle"].as_str().expect("a handle").to_owned();
    let path = format!("/v1/content/{handle}/passages");
    let read = world.must(&ana, "GET", &path, Value::Null).await;
    let text = read["passages"][0]["text"].as_str().expect("a text");
    assert!(text.contains("[email]") && !text.contains("marta.reis@"), "{read}");
    embed(&world, &ana, &handle, &[(0, [1.0, 0.0, 0.0])]).await;
    let ask = json!({ "vector": [1, 0, 0], "model": MODEL });
    assert_eq!(numbers(&near(&world, &ana, ask.clone()).await), [0]);
    // Another owner sees them too, and so finds by her vector; by a token that unmasks nothing, she does
    // not.
    let eva = world.principal(&ana, "user", "eva", "autonomous", &[("owner", "acme")]).await;
    assert_eq!(numbers(&near(&world, &eva, ask.clone()).await), [0]);
    let body = json!({ "actions": ["content.read", "content.read_any"] });
    let token = world.must(&eva, "POST", "/v1/tokens/narrow", body).await;
    let reads = token["secret"].as_str().expect("a secret");
    let slice = json!({ "handle": handle, "bytes": { "start": 0, "end": 9 } });
    world.must(reads, "POST", "/v1/content/slice", slice).await;
    let said = near(&world, reads, ask).await;
    assert_eq!(said.code(), "no_vectors", "{}", said.body);
}

/// What is found brings its labels, as what is searched does.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_near_brings_its_labels_into_the_run() {
    let world = World::start().await;
    let (ana, bot) = (&world.ana, &world.shop_bot);
    let handle = story(&world, bot).await;
    embed(&world, bot, &handle, &TOWARDS).await;
    let run = world.must(ana, "POST", "/v1/runs", json!({ "clean": true })).await;
    let run = run["id"].as_str().expect("a run");
    let body = json!({ "address": "content.near", "run": run,
        "arguments": { "vector": [1, 0, 0], "model": MODEL } });
    let said = world.rest(ana, "POST", "/v1/call", body).await;
    assert_eq!(numbers(&said), [0, 2, 1, 3], "{}", said.body);
    let run = world.must(ana, "GET", &format!("/v1/runs/{run}"), Value::Null).await;
    assert_eq!(run["labels"], json!(["untrusted"]), "{run}");
}
