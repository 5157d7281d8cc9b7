import Captures
import Flows
import JSON
import OAuth

/// Where an authorization response was seen, for evidence.
extension AuthorizationResponse {
    /// The names of its parameters, at the callback where that is recorded, else at the redirect.
    func names(note: String? = nil) -> Evidence {
        let first = parameters.items.first?.place
        let names = parameters.items.map(\.name).filter { !$0.isEmpty }.eachOnce()
        return Evidence(
            place: Place(
                exchange: first?.exchange ?? exchange,
                part: first?.part ?? .responseLocation,
                name: ""
            ),
            value: Masking.shown(names.prefix(24).joined(separator: ", "), of: "names"),
            note: note
        )
    }

    /// A parameter that is missing.
    func missing(_ name: String, note: String? = nil) -> Evidence { names(note: note).missing(name) }

    /// The parameters as they arrived: those of the callback where it is recorded, for something on the way
    /// may have taken some.
    var arrived: Parameters {
        guard let callback, mode != .fragment else { return parameters }
        let own = parameters.items.filter { $0.place.exchange == callback }
        return own.isEmpty ? parameters : Parameters(own)
    }

    /// The signed response of JARM.
    var isSigned: Bool { parameters.contains("response") }
}

extension Flow {
    /// Metadata with an issuer that names the authorization endpoint of a request, in order of time.
    func metadata(naming request: AuthorizationRequest) -> [MetadataDocument] {
        surroundings.namedEndpoints.metadata(
            naming: request.endpoint,
            as: "authorization_endpoint",
            isIdentified: true
        )
    }

    /// Whether the app stopped at an answer: refused it, or never used its code though the callback did not
    /// go on, or though it was seen to do nothing for a while.
    func stopped(at response: AuthorizationResponse) -> Bool {
        guard ending != .success, !wentOn(after: response) else { return false }
        guard let callback = response.callback else {
            // An app on a device refuses what it is handed without a word.
            guard !response.target.isWeb, violation(of: CodeNeverRedeemed()) != nil else {
                return false
            }
            return true
        }
        if case .rejected = fate(ofCallback: callback) { return true }
        return false
    }

    /// Where the provider's pages of a request redirected to, in order of time.
    func providerRedirects(of request: AuthorizationRequest) -> [(exchange: Int, target: RecordedURL)] {
        ProviderPages.of(request, in: self).compactMap { page in
            let exchange = capture[page]
            return exchange.response?.location.map { (page, exchange.request.url.resolving($0)) }
        }
    }
}

/// An issuer of metadata, which some providers write with a gap for the tenant.
enum IssuerTemplate {
    /// Whether an issuer is the one of the metadata, with any tenant where that leaves it open.
    static func matches(_ issuer: String, _ template: String) -> Bool {
        if issuer.equalsBytes(of: template) { return true }
        guard let gap = template.utf8.firstRange(of: Array("{tenantid}".utf8)) else { return false }
        let before = template.utf8[..<gap.lowerBound]
        let after = template.utf8[gap.upperBound...]
        let bytes = issuer.utf8
        guard bytes.count > before.count + after.count, bytes.starts(with: before),
            bytes.suffix(after.count).elementsEqual(after)
        else { return false }
        return !bytes.dropFirst(before.count).dropLast(after.count).contains(0x2f)
    }
}
