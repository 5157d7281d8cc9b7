package import Captures
import OAuth

/// The answer by which a server asks a browser for what it sends by itself: the user's ticket (Kerberos), or the name and password of a
/// dialog of its own (RFC 9110, section 11.6.1).
package enum BrowserChallenge {
    /// Whether an exchange was answered so, and with no error's name besides.
    package static func isAnswer(to exchange: Exchange) -> Bool {
        guard let response = exchange.response, response.status == 401 else { return false }
        return response.headers.all("www-authenticate").contains(where: isOfBrowser)
            && Answer(of: exchange, at: 0).error == nil
    }

    /// One line may have several, behind commas as their parameters are; some recorders join lines.
    private static func isOfBrowser(_ line: String) -> Bool {
        line.utf8.split { $0 == 0x2c || $0 == 0x0a }.contains { part in
            let word = part.drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 != 0x20 && $0 != 0x0d }
            return schemes.contains(String(Substring(word)).lowercased())
        }
    }

    private static let schemes = ["basic", "digest", "negotiate", "ntlm"]
}
