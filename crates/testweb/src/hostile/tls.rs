//! Certificates that a careful client refuses.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

use super::trick::Trick;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// An authority that is believed, and what it should not have signed.
pub(super) struct Authority {
    pub(super) pem: String,
    self_signed: TlsAcceptor,
    expired: TlsAcceptor,
    wrong_host: TlsAcceptor,
}

impl Authority {
    pub(super) fn new() -> Result<Self, Failure> {
        let mut root = CertificateParams::default();
        root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        root.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let issuer = CertifiedIssuer::self_signed(root, KeyPair::generate()?)?;
        let key = KeyPair::generate()?;
        let alone = CertificateParams::new([Trick::SelfSigned.host()])?.self_signed(&key)?;
        let mut expired = CertificateParams::new([Trick::Expired.host()])?;
        expired.not_before = date_time_ymd(2020, 1, 1);
        expired.not_after = date_time_ymd(2020, 12, 31);
        let expired = expired.signed_by(&key, &issuer)?;
        let other =
            CertificateParams::new(["another.test".to_owned()])?.signed_by(&key, &issuer)?;
        Ok(Self {
            pem: issuer.pem(),
            self_signed: acceptor(&key, alone.der())?,
            expired: acceptor(&key, expired.der())?,
            wrong_host: acceptor(&key, other.der())?,
        })
    }

    /// How a host shakes hands, if it does.
    pub(super) fn acceptor(&self, trick: Trick) -> Option<&TlsAcceptor> {
        match trick {
            Trick::SelfSigned => Some(&self.self_signed),
            Trick::Expired => Some(&self.expired),
            Trick::WrongHost => Some(&self.wrong_host),
            _ => None,
        }
    }
}

fn acceptor(key: &KeyPair, certificate: &CertificateDer<'static>) -> Result<TlsAcceptor, Failure> {
    let private = PrivatePkcs8KeyDer::from(key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], private.into())?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
