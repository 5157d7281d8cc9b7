import Captures
import Diagnosis
import DiagnosisTestSupport
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

    /// Whole logins in good health.
    ///
    /// A near miss is one step from its fault by design: there the step explains it.
    static let sound: [String] = names.filter { name in
        name.hasPrefix("healthy/") || name.hasPrefix("providers/") && !name.hasSuffix(".broken")
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
        let mutants =
            Self.withoutEntry(exchanges) + Self.withoutHeader(exchanges) + Self.withoutBody(exchanges)
            + Self.sanitized(exchanges) + Self.reordered(exchanges)
        for mutant in mutants {
            let found = Self.errors(mutant.exchanges)
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
}
