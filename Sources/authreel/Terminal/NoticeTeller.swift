import Captures
import Proxy
import Reports
import Synchronization

/// Words what the proxy has to say to its user while it runs.
///
/// What fails is tried again and again; once is enough to know.
final class NoticeTeller: Sendable {
    private let repeats: Bool
    private let trust: ClientTrust?
    private let isStarted: @Sendable (_ processID: Int32) -> Bool
    private let isLimitedBySystem: Bool
    private let told = Mutex(Told())

    /// What was told, and what of it is asked for at the end.
    private struct Told {
        private var notices: Set<ProxyNotice> = []
        private(set) var hasRefused = false
        private(set) var hasRunOutOfDescriptors = false
        /// A hostile page may name any number of hosts.
        private static let maximumCount = 4096

        /// Whether it is new.
        mutating func insert(_ notice: ProxyNotice) -> Bool {
            switch notice {
            case .requestRefused: hasRefused = true
            case .outOfDescriptors: hasRunOutOfDescriptors = true
            default: break
            }
            if notices.count >= Self.maximumCount { notices.removeAll() }
            return notices.insert(notice).inserted
        }
    }

    /// - Parameters:
    ///   - repeats: tell of everything, each time.
    ///   - trust: what clients have to trust, and how.
    ///   - isStarted: whether a process is one that was started with all that is known to be of help.
    ///   - isLimitedBySystem: whether it is the system that allows no more connections.
    init(
        repeats: Bool,
        trust: ClientTrust? = nil,
        isStarted: @escaping @Sendable (_ processID: Int32) -> Bool = { _ in false },
        isLimitedBySystem: Bool = false
    ) {
        self.repeats = repeats
        self.trust = trust
        self.isStarted = isStarted
        self.isLimitedBySystem = isLimitedBySystem
    }

    func tell(_ notice: ProxyNotice) {
        let isFirst = isFirst(notice)
        switch notice {
        case .outsideScope, .askedForPassword: if isFirst { write(notice) }
        default: if isFirst || repeats { write(notice) }
        }
    }

    /// Whether a request was answered by the recorder itself.
    var hasRefused: Bool { told.withLock { $0.hasRefused } }

    /// Whether files could not be opened, so that traffic had to wait or failed.
    var hasRunOutOfDescriptors: Bool { told.withLock { $0.hasRunOutOfDescriptors } }

    /// Whether it is the first of its kind: two programs' are two, and two devices', two processes or connections of one are not.
    func isFirst(_ notice: ProxyNotice) -> Bool {
        let notice =
            switch notice {
            case .clientRejectedCertificate(let host, let client, let alert, let passesThrough):
                ProxyNotice.clientRejectedCertificate(
                    host: host,
                    client: Self.lasting(client),
                    alert: alert,
                    passesThrough: passesThrough
                )
            case .clientLeftBehindHandshake(let host, let client):
                ProxyNotice.clientLeftBehindHandshake(host: host, client: Self.lasting(client))
            case .requestRefused(let status, let reason, let client, let isRecorded):
                ProxyNotice.requestRefused(
                    status: status,
                    reason: reason,
                    client: Self.lasting(client),
                    isRecorded: isRecorded
                )
            case .askedForPassword(let client): ProxyNotice.askedForPassword(client: Self.lasting(client))
            default: notice
            }
        return told.withLock { $0.insert(notice) }
    }

    /// What is the same of a client in all its connections and processes.
    private static func lasting(_ client: ClientFacts) -> ClientFacts {
        var client = client
        if client.process != nil { client.processID = nil }
        client.address = client.process == nil ? withoutPort(client.address) : nil
        return client
    }

    private func write(_ notice: ProxyNotice) {
        for line in lines(for: notice) {
            switch line {
            case .warning(let text): StandardError.warn(text)
            case .note(let text): StandardError.note(text)
            }
        }
    }

    // MARK: - Words

    enum Line: Equatable {
        case warning(String)
        case note(String)
    }

    /// What is said of a notice: what there is, then what helps.
    func lines(for notice: ProxyNotice) -> [Line] {
        switch notice {
        case .recordingFailed(let reason):
            [.warning("the capture cannot be written any more: \(reason); traffic goes on unrecorded")]
        case .clientRejectedCertificate(let host, let client, let alert, let passesThrough):
            rejection(of: host, by: client, alert: alert, passesThrough: passesThrough)
        case .clientLeftBehindHandshake(let host, let client): departure(of: client, from: host)
        case .upstreamFailed(let host, let reason, let hint):
            [.warning("no connection to \(host): \(reason)")]
                + (hint.map { [.note($0.prefix(1).lowercased() + $0.dropFirst())] } ?? [])
        case .askedForPassword(let client):
            [
                .note(
                    "\(client.process ?? Self.withoutPort(client.address) ?? "a client") is asked for the user name and password "
                        + "of --proxy-auth: until it gives them, it is refused and not recorded"
                )
            ]
        case .requestRefused(let status, let reason, let client, let isRecorded):
            refusal(status, reason, of: client, isRecorded)
        case .outsideScope(let host):
            [.note("\(host.printable) is outside of --ca-scope: passed on unread")]
        // Either side may have begun it, and a proxy may stand between.
        case .notHTTP(let host):
            [.note("what is said on a connection to \(host) is not HTTP: passed on unread")]
        case .clientIsIntercepted: []
        case .tooManyConnections(let limit):
            [
                .warning(
                    "\(limit) connections are open; further ones are closed ("
                        + (isLimitedBySystem
                            ? "the system allows no more: ulimit -n)" : "--max-connections allows more)")
                )
            ]
        case .outOfDescriptors:
            [
                .warning(
                    "no more files can be opened (ulimit -n): clients wait to be accepted, connections to providers fail"
                )
            ]
        case .toleratedCertificate(let host, let reason):
            [.warning("the certificate of \(host) is accepted although: \(reason)")]
        case .clientCertificateMissing(let host):
            [
                .warning("\(host) asked for a client certificate, and was shown none"),
                .note("to show one: \(Invocation.name) record --client-cert \(host)=FILE"),
            ]
        case .clientCertificateShown(let host, let subject):
            [.note("\(host) was shown the client certificate \(subject)")]
        }
    }

    private func refusal(_ status: Int, _ reason: String, of client: ClientFacts, _ isRecorded: Bool)
        -> [Line]
    {
        let who = client.process ?? Self.withoutPort(client.address) ?? "a client"
        let help =
            if status == 431 {
                "to let longer ones through: \(Invocation.name) record --max-head 1M"
            } else if isRecorded {
                "no proxy can carry it out: what is wrong is in the client's request, which is in the capture"
            } else {
                "what it takes are requests to a proxy, by http:// also for the proxy's own address"
            }
        let what = isRecorded ? "answered \(status) by the recorder" : "answered \(status) and not recorded"
        return [.warning("a request of \(who) is \(what): \(reason)"), .note(help)]
    }

    private func rejection(of host: String, by client: ClientFacts, alert: String?, passesThrough: Bool)
        -> [Line]
    {
        let who = client.process ?? client.address ?? "a client"
        let words =
            "\(who) does not trust the recorder's certificate for \(host)\(alert.map { " (\($0))" } ?? "")"
        let record = help(for: client)
        guard passesThrough else { return [.warning(words), .note(record)] }
        // A command that is started anew is another process, and refuses anew.
        let whose =
            client.processID.map { "this process (\(client.process.map { "\($0), " } ?? "")\($0))" }
            ?? Self.withoutPort(client.address) ?? "it"
        return [
            .warning("\(words): \(whose) is passed through from its next connection on"), .note(record),
            leavingUnread(host),
        ]
    }

    /// Nothing tells a refusal from a connection that was not needed.
    private func departure(of client: ClientFacts, from host: String) -> [Line] {
        let who = client.process ?? client.address ?? "a client"
        return [
            .warning(
                "\(who) went right behind its TLS handshake for \(host), without a request: it does not trust the recorder's "
                    + "certificate, or had no use for the connection"
            ),
            .note(help(for: client)), leavingUnread(host),
        ]
    }

    private func leavingUnread(_ host: String) -> Line {
        let name = Self.withoutPort(host) ?? host
        return .note(
            "to leave \(name) unread from the first connection on, whoever asks: "
                + Invocation.command("record", "--pass-through", name)
        )
    }

    /// What lets a client that does not trust the certificate be recorded.
    private func help(for client: ClientFacts) -> String {
        guard let trust else {
            return "to record it: \(Invocation.name) ca path names the certificate that it has to trust"
        }
        if let process = client.process, let processID = client.processID, !isStarted(processID),
            let advice = trust.advice(for: process)
        {
            return "to record it, \(advice)"
        }
        return "to record it, let it trust \(trust.certificatePath) by its own settings"
    }

    /// The host of an address, as `--pass-through` takes it.
    private static func withoutPort(_ address: String?) -> String? {
        guard let address, let colon = address.lastIndex(of: ":") else { return address }
        return address[..<colon].filter { !"[]".contains($0) }
    }
}
