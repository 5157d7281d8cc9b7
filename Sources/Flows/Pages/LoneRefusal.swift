import Captures

/// A provider's page of errors that tells in its address of a refused request, where the capture has nothing else of the login.
///
/// Known by addresses that a provider has for this alone: the request itself was made before the recording began, and says nothing.
package enum LoneRefusal {
    /// Whether an exchange is such a page, be it at Google or of WSO2's server.
    static func isOne(_ exchange: Exchange) -> Bool {
        let url = exchange.request.url
        guard exchange.request.method == "GET", url.isWeb, let response = exchange.response,
            response.location == nil
        else { return false }
        let names = url.queryItems.items.filter { !$0.value.isEmpty }.map(\.name)
        if url.host?.lowercased() == "accounts.google.com" {
            let parts = url.path.split(separator: "/")
            return parts.starts(with: ["signin", "oauth", "error"]) && names.contains("authError")
        }
        return url.path.hasSuffix("/oauth2_error.do")
            && (names.contains("oauthErrorCode") || names.contains("oauthErrorMsg"))
    }
}

extension Flow {
    /// The provider's page of errors where there is nothing else in the flow; nil for any other flow.
    package var loneRefusal: Int? {
        guard messages.isEmpty else { return nil }
        return exchanges.first { LoneRefusal.isOne(capture[$0]) }
    }
}
