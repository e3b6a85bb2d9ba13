"""A timestamp authority of our own (RFC 3161), with a root certificate, on a port of this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from asn1crypto import algos, cms, core, tsp, x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID

POLICY = "1.2.3.4.1"
DAY = timedelta(days=1)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def _certificate(
    subject: str, key: ec.EllipticCurvePrivateKey, issuer: str, issuer_key: ec.EllipticCurvePrivateKey, *, is_root: bool
) -> x509.Certificate:
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 3650 * DAY)
        .not_valid_after(now + 3650 * DAY)
        .add_extension(x509.BasicConstraints(ca=is_root, path_length=None), critical=True)
    )
    if not is_root:
        purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
        builder = builder.add_extension(purpose, critical=True)
    return builder.sign(issuer_key, SHA256())


@dataclass
class Authority:
    """Stamps whatever it is asked to; `at` is what its clock shows, and `answer` replaces what it would say."""

    name: str = "Test authority"
    at: datetime | None = None
    answer: bytes | None = None
    asked: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        root_key, self._key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        self.root = _certificate(f"{self.name}, root", root_key, f"{self.name}, root", root_key, is_root=True)
        self._certificate = _certificate(self.name, self._key, f"{self.name}, root", root_key, is_root=False)

    @property
    def root_pem(self) -> bytes:
        return self.root.public_bytes(Encoding.PEM)

    def stamp(self, query: bytes) -> bytes:
        asked = tsp.TimeStampReq.load(query)
        info = tsp.TSTInfo(
            {
                "version": "v1",
                "policy": POLICY,
                "message_imprint": asked["message_imprint"],
                "serial_number": 1 + len(self.asked),
                "gen_time": (self.at or datetime.now(UTC)).replace(microsecond=0),
                "nonce": asked["nonce"],
            }
        )
        token = cms.ContentInfo({"content_type": "signed_data", "content": self._signed(info.dump())})
        response = tsp.TimeStampResp({"status": {"status": "granted"}, "time_stamp_token": token})
        answer: bytes = response.dump()
        return answer

    def _signed(self, info: bytes) -> Any:
        encoded = self._certificate.public_bytes(Encoding.DER)
        certificate = asn1_x509.Certificate.load(encoded)
        digest_algorithm = algos.DigestAlgorithm({"algorithm": "sha256"})
        identifier = tsp.ESSCertIDv2({"hash_algorithm": digest_algorithm, "cert_hash": sha256(encoded).digest()})
        attributes = cms.CMSAttributes(
            [
                cms.CMSAttribute({"type": "content_type", "values": ["tst_info"]}),
                cms.CMSAttribute({"type": "message_digest", "values": [sha256(info).digest()]}),
                cms.CMSAttribute(
                    {"type": "signing_certificate_v2", "values": [tsp.SigningCertificateV2({"certs": [identifier]})]}
                ),
            ]
        )
        signature = self._key.sign(attributes.dump(), ec.ECDSA(SHA256()))
        signer = cms.SignerInfo(
            {
                "version": "v1",
                "sid": cms.SignerIdentifier(
                    {
                        "issuer_and_serial_number": cms.IssuerAndSerialNumber(
                            {"issuer": certificate.issuer, "serial_number": certificate.serial_number}
                        )
                    }
                ),
                "digest_algorithm": digest_algorithm,
                "signed_attrs": attributes,
                "signature_algorithm": {"algorithm": "sha256_ecdsa"},
                "signature": signature,
            }
        )
        return cms.SignedData(
            {
                "version": "v3",
                "digest_algorithms": [digest_algorithm],
                "encap_content_info": {"content_type": "tst_info", "content": core.ParsableOctetString(info)},
                "certificates": [certificate],
                "signer_infos": [signer],
            }
        )


@contextmanager
def serving(authority: Authority) -> Iterator[str]:
    """The URL at which it answers."""

    class Desk(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = self.rfile.read(int(self.headers["Content-Length"]))
            authority.asked.append(query)
            answer = authority.stamp(query) if authority.answer is None else authority.answer
            self.send_response(200)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Desk) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
