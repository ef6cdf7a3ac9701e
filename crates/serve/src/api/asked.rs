//! What clients of the API say, read strictly: what we do not know is refused, so that nobody
//! believes in a parameter that does nothing.

use std::fmt;
use std::marker::PhantomData;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use rhumb_web::words::printable;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::http::Refused;

/// Letters of a complaint that are told back.
const WORDS_MAX: usize = 300;
const ADVICE: &str = "the parameters that /api/openapi.json names";

/// The parameters of a URL.
#[derive(Debug)]
pub(super) struct Asked<T>(pub(super) T);

/// A body of JSON.
#[derive(Debug)]
pub(super) struct Said<T>(pub(super) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refused> {
        let Query(asked) = Query::try_from_uri(&parts.uri)
            .map_err(|error| complaint(error.status(), &error.body_text()))?;
        Ok(Self(asked))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Said<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refused> {
        match Json::from_request(request, state).await {
            Ok(Json(Object(said))) => Ok(Self(said)),
            Err(error) => Err(complaint(error.status(), &error.body_text())),
        }
    }
}

/// An object of JSON: what is derived for `T` would take a list of its values as well.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Members(PhantomData))
    }
}

struct Members<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members)).map(Object)
    }
}

fn complaint(code: StatusCode, words: &str) -> Refused {
    let words: String = printable(words).chars().take(WORDS_MAX).collect();
    Refused::new(code, words, ADVICE)
}
