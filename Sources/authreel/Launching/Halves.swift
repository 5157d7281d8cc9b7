import Captures
import Flows
import Foundation
import Synchronization

/// Tells which half of a login a client belongs to: by the process we started it from, else by what it calls itself.
final class Halves: Sendable {
    private struct State {
        var browser: pid_t?
        var known: [pid_t: SelfTest.Half] = [:]
    }

    private let state = Mutex(State())

    /// The browser of this recording.
    func setBrowser(_ processID: pid_t) { state.withLock { $0.browser = processID } }

    /// Whether a process is the browser of this recording, or one that it started.
    func isBrowser(_ processID: pid_t) -> Bool {
        guard let browser = state.withLock({ $0.browser }) else { return false }
        return Self.isBrowser(ProcessTree.ancestors(of: processID), browser)
    }

    func half(of exchange: Exchange) -> SelfTest.Half {
        guard let processID = exchange.client.processID else { return Self.byName(exchange) }
        return state.withLock { state in
            if let known = state.known[processID] { return known }
            let half = Self.byProcess(processID, browser: state.browser) ?? Self.byName(exchange)
            state.known[processID] = half
            return half
        }
    }

    private static func byProcess(_ processID: pid_t, browser: pid_t?) -> SelfTest.Half? {
        let line = ProcessTree.ancestors(of: processID)
        if let browser, isBrowser(line, browser) { return .browser }
        return line.contains(getpid()) ? .backend : nil
    }

    /// One that the command has opened a page in is marked, too, whoever started it.
    private static func isBrowser(_ line: [pid_t], _ browser: pid_t) -> Bool {
        line.contains(browser) || ProcessTree.isMarked(BrowserLauncher.mark, line: line)
    }

    private static func byName(_ exchange: Exchange) -> SelfTest.Half {
        if let agent = exchange.request.headers.first("user-agent") {
            return UserAgentName.isOnDevice(agent) ? .browser : .backend
        }
        let name = exchange.client.process?.lowercased() ?? ""
        let isBrowser = (BrowserProgram.kinds.flatMap(\.programs) + ["safari", "msedge"]).contains {
            name.hasPrefix($0.prefix(15))
        }
        return isBrowser ? .browser : .backend
    }
}
