import Captures
import Foundation
import LibCrypto
import Testing

@testable import Proxy

struct MobileConfigurationTests {
    private func certificate(_ name: String?) throws -> Certificate {
        let now = Timestamp(seconds: 1_795_219_200)
        guard let name else { return try CertificateAuthority.make(now: now).0.certificate }
        return try CertificateIssuer.authority(
            commonName: name,
            key: PrivateKey.generate(.elliptic(.p256)),
            validity: .init(notBefore: 0, notAfter: now.seconds)
        )
    }

    @Test(arguments: [nil, "a <b> & \"c\" \u{1}\u{2028}ü"])
    func profileIsAPropertyListWithTheCertificate(_ name: String?) throws {
        let certificate = try certificate(name)
        let bytes = MobileConfiguration.document(for: certificate)
        #expect(bytes == MobileConfiguration.document(for: certificate))
        let parsed = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
        let profile = try #require(parsed as? [String: Any])
        #expect(profile["PayloadType"] as? String == "Configuration")
        #expect(profile["PayloadVersion"] as? Int == 1)
        let payloads = try #require(profile["PayloadContent"] as? [[String: Any]])
        let root = try #require(payloads.first)
        #expect(root["PayloadType"] as? String == "com.apple.security.root")
        #expect(root["PayloadContent"] as? Data == Data(certificate.der))
        let identifiers = [profile, root].compactMap { $0["PayloadUUID"] as? String }
        #expect(Set(identifiers.compactMap(UUID.init)).count == 2)
    }

    @Test func nameOfAProfileHoldsNothingThatXMLForbids() {
        #expect(
            MobileConfiguration.escape("a\u{0}<&>\u{1b}\n\u{fffe}")
                == "a\u{fffd}&lt;&amp;&gt;\u{fffd}\n\u{fffd}"
        )
    }

    @Test func profileIsNamedAsTheCertificate() throws {
        let text = String(
            decoding: MobileConfiguration.document(for: try certificate("a, <b>")),
            as: UTF8.self
        )
        #expect(text.contains("<string>a, &lt;b&gt;</string>"))
    }
}
