import Captures
import Diagnosis
import Flows
import Foundation
import TestSupport
import Testing

/// Captures with something missing: what a recorder, an export or a filter leaves out must not become a fault.
struct MutationTests {
    /// What was taken out, in words, and what is left.
    struct Mutant {
        var what: String
        var exchanges: [Exchange]
    }

    static let names: [String] = {
        let root = Fixtures.root.appending(path: "captures")
        let all = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(".har") }.map { String($0.dropLast(4)) }.sorted()
    }()

    /// Those that show no fault at all.
    static let sound: [String] = names.filter { name in
        guard let recording = try? Recording(name) else { return false }
        return !recording.findings.contains { $0.severity == .error }
    }

    private static func errors(_ exchanges: [Exchange]) -> Set<String> {
        Set(Recording(exchanges).findings.filter { $0.severity == .error }.map(\.rule))
    }

    /// One entry less, each in turn.
    private static func withoutEntry(_ exchanges: [Exchange]) -> [Mutant] {
        exchanges.indices.map { index in
            var rest = exchanges
            let gone = rest.remove(at: index)
            return Mutant(what: "without \(gone.request.method) \(gone.request.url.path)", exchanges: rest)
        }
    }

    /// One header field less, each in turn.
    private static func withoutHeader(_ exchanges: [Exchange]) -> [Mutant] {
        exchanges.indices.flatMap { index -> [Mutant] in
            let exchange = exchanges[index]
            let path = exchange.request.url.path
            let requests = exchange.request.headers.fields.indices.map { field in
                var changed = exchanges
                let gone = changed[index].request.headers.fields.remove(at: field)
                return Mutant(what: "\(path) without request header \(gone.name)", exchanges: changed)
            }
            let responses = (exchange.response?.headers.fields.indices ?? 0..<0).map { field in
                var changed = exchanges
                let gone = changed[index].response?.headers.fields.remove(at: field).name ?? ""
                return Mutant(what: "\(path) without response header \(gone)", exchanges: changed)
            }
            return requests + responses
        }
    }

    /// A body that was not saved, each in turn.
    private static func withoutBody(_ exchanges: [Exchange]) -> [Mutant] {
        exchanges.indices.flatMap { index -> [Mutant] in
            var mutants: [Mutant] = []
            let path = exchanges[index].request.url.path
            if exchanges[index].request.body != nil {
                var changed = exchanges
                changed[index].request.body?.content = .missing
                mutants.append(Mutant(what: "\(path) without its request body", exchanges: changed))
            }
            if exchanges[index].response?.body != nil {
                var changed = exchanges
                changed[index].response?.body?.content = .missing
                mutants.append(Mutant(what: "\(path) without its response body", exchanges: changed))
            }
            return mutants
        }
    }

    /// As browsers export by default: no cookie, no credential.
    private static func sanitized(_ exchanges: [Exchange]) -> [Mutant] {
        let names: Set<String> = ["cookie", "set-cookie", "authorization"]
        let stripped = exchanges.map { exchange in
            var exchange = exchange
            exchange.request.headers.fields.removeAll { names.contains($0.name.lowercased()) }
            exchange.request.listedCookies = []
            exchange.response?.headers.fields.removeAll { names.contains($0.name.lowercased()) }
            exchange.response?.listedCookies = []
            return exchange
        }
        return [Mutant(what: "sanitized", exchanges: stripped)]
    }

    private static func reordered(_ exchanges: [Exchange]) -> [Mutant] {
        var random = SeededGenerator(seed: 5)
        return [
            Mutant(what: "reversed", exchanges: exchanges.reversed()),
            Mutant(what: "shuffled", exchanges: exchanges.shuffled(using: &random)),
        ]
    }

    @Test(arguments: sound) func whatTheRecordingLacksIsNoFault(name: String) throws {
        let exchanges = try Recording(name).exchanges
        var mutants =
            Self.withoutEntry(exchanges) + Self.withoutBody(exchanges) + Self.sanitized(exchanges)
            + Self.reordered(exchanges)
        // The many of them, where a login is whole.
        if name.hasPrefix("healthy/") || name.hasPrefix("providers/") {
            mutants += Self.withoutHeader(exchanges)
        }
        for mutant in mutants {
            let found = Self.errors(mutant.exchanges).filter { !Self.isExplained($0, by: mutant.what) }
            #expect(found.isEmpty, "\(name) \(mutant.what): \(found.sorted())")
        }
    }

    @Test(arguments: names) func orderOfTheEntriesDoesNotMatter(name: String) throws {
        let exchanges = try Recording(name).exchanges
        let findings = Recording(exchanges).findings.map(\.rule)
        for mutant in Self.reordered(exchanges) {
            #expect(Recording(mutant.exchanges).findings.map(\.rule) == findings, "\(name) \(mutant.what)")
        }
    }

    /// What taking something out of the traffic itself explains, each with its reason.
    private static func isExplained(_ rule: String, by what: String) -> Bool {
        explained.contains { $0.rule == rule && what.contains($0.what) }
    }

    private static let explained: [(rule: String, what: String)] = [
        // The request that made up for the throttled one is what was taken out.
        ("rate-limited", "without POST /token"), ("rate-limited", "/token without its request body"),
        // The request that brought the nonce back is what was taken out.
        ("dpop-nonce-ignored", "without POST /token"),
        ("dpop-nonce-ignored", "/token without its request body"),
        // Likewise the one that went through after the provider's failure.
        ("provider-server-error", "without POST /token"),
        ("provider-server-error", "/token without its request body"),
        // Of two logins in two tabs the first one's request: its answer then looks like the second one's.
        ("state-mismatch", "without GET /authorize"),
        // Of two clients the request of the one: its token then looks like the other's.
        ("id-token-audience-mismatch", "without GET /authorize"),
    ]
}
