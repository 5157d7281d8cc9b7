import Captures
import JOSE
import JSON
import OAuth

/// What a provider publishes for everybody: its metadata (RFC 8414, section 3), its keys (RFC 7517, section 5), and other documents.
struct PublishedDocuments {
    private let dialect: ProviderDialect
    private let configuration: ProviderConfiguration
    /// Whether what was refused in the recording is refused again.
    private let isAsRecorded: Bool

    init(_ context: ProviderContext) {
        dialect = context.dialect
        configuration = context.configuration
        isAsRecorded = context.policy.isAsRecorded
    }

    /// The document at an address, the keys aside, which are an endpoint's; nil where none is.
    func document(for request: RecordedRequest) -> BuiltAnswer? {
        let path = request.url.path
        if isAsRecorded, let refused = dialect.refusedDocuments[path] { return BuiltAnswer(like: refused) }
        guard request.isRead else { return nil }
        guard dialect.isMetadata(request.url) else {
            return dialect.documents[path].map { BuiltAnswer(like: $0) }
        }
        let own = request.url.query.flatMap { dialect.metadataByQuery[RecordedURL("?\($0)")] }
        return BuiltAnswer(like: own ?? dialect.metadataByPath[path] ?? dialect.metadata)
    }

    var keySet: BuiltAnswer {
        var answer = BuiltAnswer(like: dialect.keySet, role: .keys)
        answer.content = .object(JSONWebKeySet(keys: configuration.publicKeys).json.object ?? JSONObject())
        return answer
    }

    /// A style sheet, a script, an image of the recording; nil where none was recorded.
    func asset(for request: RecordedRequest) -> BuiltAnswer? {
        request.isRead ? dialect.shelf.answer(to: request, addresses: dialect.addresses) : nil
    }

    /// An endpoint that is asked by another method (RFC 6749, section 3.2; RFC 9126, section 2.3; RFC 9110, section 15.5.6), or no address
    /// of this provider's.
    func nothing(at request: RecordedRequest) -> BuiltAnswer {
        let methods = dialect.methods(at: request.url)
        guard !methods.isEmpty, !methods.contains(request.method) else {
            return .page(404, SignInPage.error("There is nothing at this address."))
        }
        let words =
            "This address is asked by \(methods.joined(separator: ", ")), and not by \(request.method)."
        var answer = BuiltAnswer.page(405, SignInPage.error(words))
        answer.headers.append("Allow", methods.joined(separator: ", "))
        return answer
    }
}

extension RecordedRequest {
    fileprivate var isRead: Bool { method == "GET" || method == "HEAD" }
}
