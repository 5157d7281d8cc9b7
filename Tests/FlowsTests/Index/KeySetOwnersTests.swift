import Captures
import TestSupport
import Testing

@testable import Flows

/// Whose keys are at an address, as the metadata of many tenants name it.
struct KeySetOwnersTests {
    private static let keySet = RecordedURL("https://keys.example/jwks")

    private func owners(tenants: Int) -> KeySetOwners {
        var capture = CaptureBuilder()
        for tenant in 0..<tenants {
            let issuer = "https://id.example/\(tenant)"
            capture.get(
                "\(issuer)/.well-known/openid-configuration",
                body: .json(
                    """
                    {"issuer":"\(issuer)","token_endpoint":"\(issuer)/token?p=in","jwks_uri":"\(Self.keySet.text)"}
                    """
                )
            )
        }
        let order = Array(0..<tenants)
        return KeySetOwners(CapturedMessages(capture.capture, order: order, redirectedFrom: [:]).metadata)
    }

    @Test(arguments: [("1/token?p=in", true), ("1/token", true), ("1/token?p=up", false), ("9/token", false)])
    func keySetIsOfWhoseMetadataNameIt(path: String, isOwn: Bool) {
        let endpoint = RecordedURL("https://id.example/" + path)
        #expect(owners(tenants: 3).own(Self.keySet, of: "https://other.example", at: endpoint) == isOwn)
    }

    /// A hundred times as many tenants would take each question a hundred times as long if it looked at all of them.
    @Test func tenantsThatAreNotAskedForTakeNoTime() {
        let endpoint = RecordedURL("https://id.example/none/token")
        func seconds(_ tenants: Int) -> Double {
            let owners = owners(tenants: tenants)
            return (0..<3).map { _ in
                ProcessorTime.seconds {
                    for _ in 0..<500 {
                        #expect(!owners.own(Self.keySet, of: "https://other.example", at: endpoint))
                    }
                }
            }.min() ?? 0
        }
        #expect((0..<3).contains { _ in seconds(2000) / seconds(20) < 5 })
    }
}
