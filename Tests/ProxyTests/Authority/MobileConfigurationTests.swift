import Captures
import LibCrypto
import Proxy
import Testing

struct MobileConfigurationTests {
    @Test func sameAuthorityGivesTheSameProfile() throws {
        let (made, _) = try CertificateAuthority.make(now: Timestamp(seconds: 1_795_219_200))
        let (other, _) = try CertificateAuthority.make(now: Timestamp(seconds: 1_795_219_200))
        let profile = MobileConfiguration.bytes(for: made.certificate)
        #expect(profile == MobileConfiguration.bytes(for: try Certificate(der: made.certificate.der)))
        let text = String(decoding: profile, as: UTF8.self)
        let uuid = /<string>([0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12})</
        let uuids = text.matches(of: uuid).map { String($0.1) }
        #expect(Set(uuids).count == 2)
        let others = String(decoding: MobileConfiguration.bytes(for: other.certificate), as: UTF8.self)
        #expect(Set(uuids).isDisjoint(with: others.matches(of: uuid).map { String($0.1) }))
        #expect(text.contains("ends on 2027-11-21"))
    }
}
