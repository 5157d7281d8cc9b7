package import Captures
package import OAuth

/// A request by which another party than the app has a login begun at the app (OpenID Connect Core, section 4): a portal with tiles, a
/// learning platform that launches a tool (1EdTech Security Framework, section 5.1.1).
package enum ThirdPartyInitiation {
    /// What one says, in its query and its form; nil of any other request.
    package static func parameters(of request: RecordedRequest, at exchange: Int) -> Parameters? {
        var parameters = Parameters(request.url.queryItems, of: exchange, in: .requestQuery)
        if let form = FormBody.items(of: request.body) {
            parameters.items += Parameters(form, of: exchange, in: .requestBody).items
        }
        guard parameters["iss"] != nil, parameters["target_link_uri"] ?? parameters["login_hint"] != nil,
            ["code", "id_token", "error", "response_type"].allSatisfy({ parameters[$0] == nil })
        else { return nil }
        return parameters
    }

    /// Those among some exchanges that their app refused, each with its parameters and the address and issuer that tell it from
    /// others, in the order given.
    ///
    /// Not where the same address took one of the same issuer later: that is the next try, and a login.
    static func refused(among exchanges: [Int], in index: CaptureIndex) -> [(
        exchange: Int, parameters: Parameters, key: String
    )] {
        var found: [(exchange: Int, parameters: Parameters, key: String)] = []
        var taken: [String: Int] = [:]
        for exchange in exchanges {
            let request = index.capture[exchange].request
            guard mayBeOne(request), let parameters = parameters(of: request, at: exchange),
                let issuer = parameters["iss"], RecordedURL(issuer).isWeb
            else { continue }
            let key = "\(request.url.normalizedWithoutQuery) \(issuer)"
            if isRefused(exchange, in: index) {
                found.append((exchange, parameters, key))
            } else if index.capture[exchange].response != nil {
                taken[key] = index.position[exchange]
            }
        }
        return found.filter { taken[$0.key] ?? -1 < index.position[$0.exchange] }
    }

    /// Seen before anything is read: nearly no request is one.
    private static func mayBeOne(_ request: RecordedRequest) -> Bool {
        guard request.url.isWeb, ["GET", "POST"].contains(request.method) else { return false }
        if request.url.query.map({ $0.containsBytes("iss=") }) ?? false { return true }
        guard request.method == "POST", let body = request.body, (body.size ?? 0) < largest else {
            return false
        }
        return body.bytes.map { $0.firstRange(of: Array("iss=".utf8)) != nil } ?? false
    }

    /// By its status, or by a redirect that names an error.
    private static func isRefused(_ exchange: Int, in index: CaptureIndex) -> Bool {
        guard let status = index.capture[exchange].response?.status else { return false }
        return status >= 400 && status != 429 || ErrorRedirect.isAnswer(to: exchange, in: index)
    }

    /// In bytes of a body.
    private static let largest = 1 << 16
}

extension Flow {
    /// The request to begin a login that its app refused, where there is nothing else in the flow, documents aside; nil for any other
    /// flow.
    package var refusedInitiation: (exchange: Int, parameters: Parameters)? {
        guard messages.allSatisfy(\.isPublished) else { return nil }
        return ThirdPartyInitiation.refused(among: exchanges, in: surroundings).last.map {
            ($0.exchange, $0.parameters)
        }
    }
}
