import Captures
import Flows
import OAuth

/// The first key set of a flow that was asked for and that nobody got, at whatever try (RFC 7517, section 5).
struct UnreadKeySet {
    /// The requests for it, in order of time; empty where each key set was read, or may have been.
    let documents: [KeySetDocument]
    /// Whether one may have been read that was not saved.
    let isUnsaved: Bool

    init(in flow: Flow) {
        var read: Set<String> = []
        var unknown: Set<String> = []
        var failed: [String: [KeySetDocument]] = [:]
        var order: [String] = []
        for document in flow.keySets {
            let url = document.endpoint.text
            switch Self.fate(of: document) {
            case .read: read.insert(url)
            case .unknown: unknown.insert(url)
            case .elsewhere: continue
            case .failed:
                if failed[url] == nil { order.append(url) }
                failed[url, default: []].append(document)
            }
        }
        let first = order.first { !read.contains($0) && !unknown.contains($0) }
        documents = first.flatMap { failed[$0] } ?? []
        isUnsaved =
            order.contains(where: unknown.contains) || failed.isEmpty && !unknown.subtracting(read).isEmpty
    }

    private enum Fate {
        case read
        case failed
        /// Saved without its body, or not saved.
        case unknown
        /// Sent on, cancelled, or a matter of the transport.
        case elsewhere
    }

    private static func fate(of document: KeySetDocument) -> Fate {
        let answer = document.answer
        guard !answer.isCancelled, !answer.isExplainedByTransport else { return .elsewhere }
        guard let status = answer.status else { return answer.isUnseen ? .unknown : .failed }
        if document.keys != nil && status < 300 || status == 304 { return .read }
        if (300..<400).contains(status) { return .elsewhere }
        return status < 300 && (!answer.isBodyRecorded || answer.isUnseen) ? .unknown : .failed
    }
}
