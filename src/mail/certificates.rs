//! Which mail servers are believed to be who they say: those the public authorities vouch for, and those whose
//! certificate, or whose authority's, the operator has put into a file.

use std::sync::Arc;

use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// How to encrypt towards a mail server. `extra`: the operator's file of certificates (PEM). Fails with a sentence that
/// says what is wrong with the file.
pub(super) fn client_config(extra: Option<&[u8]>) -> Result<ClientConfig, String> {
    let provider = Arc::new(default_provider());
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let mut named = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(extra.unwrap_or_default()) {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate.clone()).map_err(|error| error.to_string())?;
        named.push(certificate);
    }
    if extra.is_some() && named.is_empty() {
        return Err("the file holds no certificate".to_owned());
    }
    let public = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
        .build()
        .map_err(|error| error.to_string())?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        // “Dangerous” is replacing the usual check; ours asks it for every server that is not named in the file.
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Verifier { public, named }))
        .with_no_client_auth();
    Ok(config)
}

/// Trusts a server that shows exactly a certificate of the operator's file, and asks the usual check about all others.
///
/// The usual check refuses what most people make for a server of their own: a self-signed certificate that may sign
/// others too is “an authority used as a server”. The very certificate the operator named needs no such check, nor one
/// of its name or age: that the server holds its private key is proved by the handshake.
#[derive(Debug)]
struct Verifier {
    public: Arc<WebPkiServerVerifier>,
    named: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.named.iter().any(|named| named == end_entity) {
            return Ok(ServerCertVerified::assertion());
        }
        self.public.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.public.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.public.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.public.supported_verify_schemes()
    }
}
