//! A root certificate for the web, and one certificate a host when it is first asked for.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rcgen::{KeyUsagePurpose, PKCS_ECDSA_P256_SHA256};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::{CertifiedKey, SigningKey};
use tokio_rustls::TlsAcceptor;

use crate::truth::{Scheme, Web};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Who signs for the https hosts.
pub(super) struct Authority {
    pub(super) pem: String,
    pub(super) der: Vec<u8>,
    pub(super) acceptor: TlsAcceptor,
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority").finish_non_exhaustive()
    }
}

impl Authority {
    pub(super) fn new(web: &Web) -> Result<Self, Failure> {
        let mut root = CertificateParams::default();
        root.distinguished_name.push(DnType::CommonName, "Rhumb test web");
        root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        root.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let issuer = CertifiedIssuer::self_signed(root, new_key()?)?;
        let (pem, der) = (issuer.pem(), issuer.der().to_vec());

        let leaf_key = new_key()?;
        let private = PrivatePkcs8KeyDer::from(leaf_key.serialize_der());
        let signing = ring::sign::any_ecdsa_type(&private.into())?;
        let https = web.hosts.iter().filter(|h| h.scheme == Scheme::Https);
        let certificates = https.map(|h| (h.name.clone(), None)).collect();
        let desk = Desk { issuer, leaf_key, signing, certificates: Mutex::new(certificates) };
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(desk));
        // The default keeps a few hundred sessions: fewer than there are hosts.
        config.ticketer = ring::Ticketer::new()?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { pem, der, acceptor: TlsAcceptor::from(Arc::new(config)) })
    }
}

fn new_key() -> Result<KeyPair, rcgen::Error> {
    KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)
}

/// Hands out certificates; all share one key, which saves making thousands.
struct Desk {
    issuer: CertifiedIssuer<'static, KeyPair>,
    leaf_key: KeyPair,
    signing: Arc<dyn SigningKey>,
    certificates: Mutex<HashMap<String, Option<Arc<CertifiedKey>>>>,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

impl Desk {
    fn issue(&self, name: &str) -> Option<CertifiedKey> {
        let params = CertificateParams::new([name.to_owned()]).ok()?;
        let certificate = params.signed_by(&self.leaf_key, &self.issuer).ok()?;
        Some(CertifiedKey::new(vec![certificate.der().clone()], Arc::clone(&self.signing)))
    }
}

impl ResolvesServerCert for Desk {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let name = hello.server_name()?.to_ascii_lowercase();
        let mut certificates = self.certificates.lock().unwrap_or_else(PoisonError::into_inner);
        let known = certificates.get_mut(&name)?;
        if known.is_none() {
            *known = self.issue(&name).map(Arc::new);
        }
        known.clone()
    }
}
