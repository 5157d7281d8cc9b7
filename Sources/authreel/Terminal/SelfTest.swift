import Captures
import Foundation

/// The line that says whether both halves of a login arrive: `browser: intercepted · backend: not yet seen`.
struct SelfTest {
    enum Half: Sendable, Hashable, CaseIterable {
        case browser
        case backend
    }

    enum State: Equatable {
        case notYetSeen
        /// Its requests are read; by whom they were sent.
        case intercepted(String?)
        /// It connects, and breaks off because it does not trust the recorder.
        case distrusts(String?)
    }

    private var states: [Half: State] = [.browser: .notYetSeen, .backend: .notYetSeen]

    /// Takes note of an exchange.
    ///
    /// - Parameters:
    ///   - half: whose.
    ///   - process: who sent it, by name.
    /// - Returns: the line, where that is news.
    mutating func intercepted(_ half: Half, process: String?) -> String? {
        if case .intercepted = states[half] { return nil }
        states[half] = .intercepted(process)
        return line
    }

    /// Takes note of a client that does not trust the recorder; the line, where that is news.
    mutating func distrusted(_ half: Half, process: String?) -> String? {
        // One of its connections may be of another mind than the rest.
        guard states[half] == .notYetSeen else { return nil }
        states[half] = .distrusts(process)
        return line
    }

    /// Whether the requests of a client were read.
    var hasSeenClients: Bool { states.values.contains { if case .intercepted = $0 { true } else { false } } }

    /// Nothing is news any more.
    var isOver: Bool {
        Half.allCases.allSatisfy { if case .intercepted = states[$0] { true } else { false } }
    }

    var line: String {
        Half.allCases.map { half in
            let name = half == .browser ? "browser" : "backend"
            return switch states[half] ?? .notYetSeen {
            case .notYetSeen: "\(name): not yet seen"
            case .intercepted(let process): "\(name): intercepted" + (process.map { " (\($0))" } ?? "")
            case .distrusts(let process):
                "\(name): does not trust the certificate" + (process.map { " (\($0))" } ?? "")
            }
        }
        .joined(separator: " · ")
    }
}
