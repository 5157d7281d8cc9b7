import Captures
import Flows
import OAuth

/// A way in which a client proved itself that the provider's metadata do not list (RFC 8414, section 2).
struct UnlistedMethod {
    let method: String
    /// The provider's list.
    let list: Evidence

    init?(of call: ClientCall, in flow: Flow) {
        guard Self.mayBeOne(call), let (document, list) = Self.list(for: call, in: flow),
            let method = call.method, !list.contains(method), !Self.isFine(method, call, list, flow)
        else { return nil }
        self.method = method
        self.list = Evidence(
            place: document.answer.place(Self.member),
            value: Masking.shown(list.joined(separator: ", "), of: "list")
        )
    }

    /// Whether it is a request for which the list is meant, whose body was saved.
    static func mayBeOne(_ call: ClientCall) -> Bool {
        (call.kind == .token || call.kind == .pushedRequest) && !call.parameters.isEmpty
    }

    /// With the document that has it; nil where it is not in the capture.
    static func list(for call: ClientCall, in flow: Flow) -> (document: MetadataDocument, methods: [String])?
    {
        guard let document = flow.providerFacts.metadata(of: call.endpoint),
            let methods = document.list(member),
            !methods.isEmpty
        else { return nil }
        return (document, methods)
    }

    private static let member = "token_endpoint_auth_methods_supported"

    /// A client without credentials: public (and let in), with a certificate, or one that forgot them, which
    /// is told elsewhere.
    private static func isFine(_ method: String, _ call: ClientCall, _ list: [String], _ flow: Flow) -> Bool {
        guard method == "none" else { return false }
        let isPublic = flow.registrations(of: call.authentication.clientID?.value).contains {
            $0.answer.parameters["token_endpoint_auth_method"] == "none"
        }
        return !call.isClientRefused || !isPublic || list.contains(where: MutualTLS.methods.contains)
    }
}
