import Captures
import JOSE
import OAuth

/// What the user has to confirm in a browser for a device, and where (RFC 8628, section 3.2).
struct DeviceConfirmation {
    private let userCode: String
    /// The pages, without their queries, as a browser asks for them.
    private let pages: Set<String>
    private let hosts: Set<String>

    /// Nil for an answer without a code for the user.
    init?(_ answer: Answer) {
        guard let code = answer.parameters["user_code"], !code.isEmpty, !Placeholder.isOne(code) else {
            return nil
        }
        // Google's name for the first of them is older than the specification's.
        let names = ["verification_uri", "verification_url", "verification_uri_complete"]
        let urls = names.compactMap { answer.parameters[$0].map { RecordedURL($0) } }
        userCode = code
        pages = Set(urls.map(\.normalizedWithoutQuery))
        hosts = Set(urls.compactMap(\.host))
    }

    /// Whether a request brings the code to the provider; `sent`: the values of its form.
    func isBrought(by request: RecordedRequest, with sent: Set<String>) -> Bool {
        guard request.url.host.map(hosts.contains) ?? false else { return false }
        return sent.contains(userCode) || request.url.text.containsBytes(userCode)
    }

    /// Whether a request is for the page that the device sends its user to.
    func isBegun(by request: RecordedRequest) -> Bool {
        pages.contains(request.url.normalizedWithoutQuery)
    }
}
