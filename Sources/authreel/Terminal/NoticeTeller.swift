import Captures
import Proxy
import Reports
import Synchronization

/// Words what the proxy has to say to its user while it runs.
///
/// What fails is tried again and again; once is enough to know.
final class NoticeTeller: Sendable {
    private let repeats: Bool
    private let certificatePath: String?
    private let told = Mutex<Set<ProxyNotice>>([])
    /// A hostile page may name any number of hosts.
    private static let maximumCount = 4096

    /// - Parameters:
    ///   - repeats: tell of everything, each time.
    ///   - certificatePath: of an authority that is not the lasting one.
    init(repeats: Bool, certificatePath: String? = nil) {
        self.repeats = repeats
        self.certificatePath = certificatePath
    }

    func tell(_ notice: ProxyNotice) {
        let isFirst = isFirst(notice)
        if case .outsideScope = notice, !isFirst { return }
        if isFirst || repeats { write(notice) }
    }

    /// Whether it is the first of its kind; two clients' are two, two connections of one client are not.
    private func isFirst(_ notice: ProxyNotice) -> Bool {
        var notice = notice
        if case .clientRejectedCertificate(let host, var client, let alert, let passesThrough) = notice {
            client.address = nil
            notice = .clientRejectedCertificate(
                host: host,
                client: client,
                alert: alert,
                passesThrough: passesThrough
            )
        }
        return told.withLock { told in
            if told.count >= Self.maximumCount { told.removeAll() }
            return told.insert(notice).inserted
        }
    }

    private func write(_ notice: ProxyNotice) {
        switch notice {
        case .recordingFailed(let reason):
            StandardError.warn(
                "the capture cannot be written any more: \(reason); traffic goes on unrecorded"
            )
        case .clientRejectedCertificate(let host, let client, let alert, let passesThrough):
            let who = client.process ?? client.address ?? "a client"
            StandardError.warn(
                "\(who) does not trust the recorder's certificate for \(host)\(alert.map { " (\($0))" } ?? "")"
                    + (passesThrough ? ": passed through unread from now on" : "")
            )
            StandardError.note(
                certificatePath.map { "to record it, let it trust \($0)" }
                    ?? "to record it: \(Invocation.name) ca path names the certificate that it has to trust"
            )
        case .upstreamFailed(let host, let reason): StandardError.warn("no connection to \(host): \(reason)")
        case .outsideScope(let host):
            StandardError.note("\(host.printable) is outside of --ca-scope: passed on unread")
        case .notHTTP(let host): StandardError.note("\(host) sent what is no HTTP message: passed on unread")
        case .clientIsIntercepted: break
        case .tooManyConnections(let limit):
            StandardError.warn(
                "\(limit) connections are open; further ones are closed (--max-connections allows more)"
            )
        case .toleratedCertificate(let host, let reason):
            StandardError.warn("the certificate of \(host) is accepted although: \(reason)")
        case .clientCertificateMissing(let host):
            StandardError.warn("\(host) asked for a client certificate, and was shown none")
            StandardError.note("to show one: \(Invocation.name) record --client-cert \(host)=FILE")
        case .clientCertificateShown(let host, let subject):
            StandardError.note("\(host) was shown the client certificate \(subject)")
        }
    }
}
