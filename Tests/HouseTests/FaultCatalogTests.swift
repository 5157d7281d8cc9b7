import Diagnosis
import Foundation
import Provider
import TestSupport
import Testing

/// Faults and rules are two lists of two modules; here they are compared.
struct FaultCatalogTests {
    @Test func everyFaultIsNamedAfterARule() {
        let rules = Set(RuleCatalog.infos.map(\.id))
        #expect(FaultCatalog.all.compactMap(\.rule).filter { !rules.contains($0) } == [])
    }

    @Test func namesAreUnique() {
        let ids = FaultCatalog.all.map(\.id)
        #expect(Set(ids).count == ids.count)
        #expect(FaultCatalog.all.filter { $0.summary.isEmpty || !$0.summary.hasSuffix(".") }.map(\.id) == [])
    }

    /// The catalogue's words: all `id-token-*` rules that are plain errors, and these.
    @Test func whatMustBeRejectedIsWhatTheRulesSay() {
        let named: Set<String> = [
            "state-mismatch", "issuer-param-mismatch", "jarm-invalid", "userinfo-sub-mismatch",
            "refresh-subject-changed",
        ]
        // Whoever fetches the keys again finds the new one.
        let recoverable: Set<String> = ["id-token-kid-unknown:rotated"]
        for fault in FaultCatalog.all {
            guard let info = RuleCatalog.infos.first(where: { $0.id == fault.rule }) else { continue }
            let isPlainError = if case .error = info.severity { true } else { false }
            let isExpected = named.contains(info.id) || info.id.hasPrefix("id-token-") && isPlainError
            #expect(fault.mustBeRejected == (isExpected && !recoverable.contains(fault.id)), "\(fault.id)")
        }
    }

    @Test func whatMustBeRejectedSaysHow() {
        for fault in FaultCatalog.all {
            #expect((fault.duty != nil) == fault.mustBeRejected, "\(fault.id)")
            guard fault.mustBeRejected, let rule = fault.rule else { continue }
            #expect(RuleCatalog.info(of: rule)?.specifications.isEmpty == false, "\(fault.id)")
        }
    }

    /// A client that is told of the ID token by the token endpoint alone need not look at what vouches for it there.
    @Test func whatOnlyTheSignatureShowsNamesItsException() {
        let duties = FaultCatalog.all.filter(\.mustBeRejected).map { fault in
            (
                fault.id.hasPrefix("id-token-signature-invalid")
                    || ["id-token-kid-unknown", "id-token-alg-none:signature-removed"].contains(fault.id),
                fault.duty?.contains("from the token endpoint alone, by TLS") == true, fault.id
            )
        }
        for (isOfSignature, isTold, id) in duties { #expect(isTold == isOfSignature, "\(id)") }
    }

    @Test func theTableOfTheManualIsTheList() throws {
        let manual = try String(contentsOf: Fixtures.root.appending(path: "docs/mock.md"), encoding: .utf8)
        let rows = manual.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        let expected = FaultCatalog.all.map {
            "| `\($0.id)` | \($0.mustBeRejected ? "yes" : "") | \($0.summary) |"
        }
        #expect(rows == expected)
    }

    @Test func aNameThatIsNoneHasNeighbours() {
        #expect(FaultCatalog.nearest(to: "id-token-nonce-mismach").first == "id-token-nonce-mismatch")
        #expect(FaultCatalog.nearest(to: "nonce").contains("id-token-nonce-mismatch"))
        #expect(FaultCatalog.nearest(to: "no-nonce").first == "id-token-nonce-missing")
        #expect(FaultCatalog.nearest(to: "singature").contains("id-token-signature-invalid"))
        // A word, and not letters within another one.
        #expect(FaultCatalog.nearest(to: "iss").allSatisfy { $0.hasSuffix(":iss") })
        #expect(FaultCatalog.nearest(to: "iss").count == 3)
        for name in ["zzzz", "nonsense", "-", ""] { #expect(FaultCatalog.nearest(to: name) == []) }
    }
}
