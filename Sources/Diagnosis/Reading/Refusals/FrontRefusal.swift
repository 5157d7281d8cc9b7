import Captures
import Flows
import OAuth

/// A refusal by what stands in front of a server: a firewall for web applications, a check for bots, or a limit of size.
///
/// The endpoint itself never looked at the request. Told by the headers of such products, by the words of their pages, and by the
/// statuses that say of a request that it is too large. An answer with an OAuth error is the endpoint's own.
struct FrontRefusal {
    enum Kind: Sendable, Equatable {
        /// Refused by a rule of a firewall.
        case block
        /// Answered with a task that a person or a browser's script has to solve.
        case challenge
        /// Refused for the number of requests.
        case limit
        /// Too large: the body, the address, or the header.
        case size(Part)
        /// Refused by a proxy on the way, which wants to know who uses it (RFC 9110, section 15.5.8).
        case credentials
    }

    enum Part: String, Sendable {
        case body
        case address
        case header
    }

    var kind: Kind
    /// Who answers so; nil where others do, too.
    var product: String?
    /// What shows it, beside the status and the words of the page.
    var evidence: [Evidence]

    /// Nil where the endpoint itself may have answered.
    init?(of exchange: Int, in flow: Flow) {
        let recorded = flow.capture[exchange]
        guard let response = recorded.response, response.status >= 200, response.location == nil,
            Answer(of: recorded, at: exchange).error == nil
        else { return nil }
        if response.status == 407 {
            kind = .credentials
            product = nil
            let name = "Proxy-Authenticate"
            evidence = response.headers.first(name).map { [Self.shown(name, $0, exchange)] } ?? []
        } else if let (mark, name, value) = Self.header(of: response) {
            kind = mark.kind
            product = mark.product
            evidence = [Self.shown(name, value, exchange)]
        } else if let mark = Self.words(of: response) {
            kind = mark.kind
            product = mark.product
            evidence = []
            if case .size(let part) = kind { evidence = [Self.size(of: part, recorded.request, exchange)] }
        } else if let part = Self.parts[response.status] {
            kind = .size(part)
            product = nil
            evidence = [Self.size(of: part, recorded.request, exchange)]
        } else {
            return nil
        }
        if case .size = kind { return }
        // By these the firewall's operator finds the entry of its log.
        evidence += Self.ids.lazy.compactMap { name in
            response.headers.first(name).map { Self.shown(name, $0, exchange) }
        }
        .prefix(1)
    }

    private static func shown(_ name: String, _ value: String, _ exchange: Int) -> Evidence {
        Evidence(
            place: Place(exchange: exchange, part: .responseHeader, name: name),
            value: Masking.shown(Excerpt.start(of: value, 80), of: name)
        )
    }

    private static let ids = ["CF-RAY", "X-Azure-Ref", "X-Iinfo", "X-Amz-Cf-Id", "X-Sucuri-ID"]
}

extension Violation {
    /// The same, in the words for what stands in front of the server where that gave the answer that is told of; `server` is whom the
    /// request was meant for.
    func toldOfFront(in flow: Flow, of server: String = "provider") -> Violation {
        guard let exchange = faultyExchange, let front = FrontRefusal(of: exchange, in: flow) else {
            return self
        }
        var told = self
        told.title = front.title(server)
        told.explanation = front.explanation(server)
        told.fix = front.fix
        told.evidence += front.evidence
        return told
    }
}
