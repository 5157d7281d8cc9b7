import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A logout by way of the browser (OpenID Connect Front-Channel Logout, section 2): an address of the app in a frame of the
/// provider's page, which the app refused.
enum FrontChannelRefusal {
    /// Nil where none was refused.
    static func violation(in flow: Flow) -> Violation? {
        for case .frontChannelLogout(let call) in flow.messages where call.answer.status ?? 0 >= 400 {
            var evidence: [Evidence] = []
            if let sent = call.parameters.parameter("iss"), !sent.value.isEmpty {
                let note = flow.issuer.flatMap {
                    $0.equalsBytes(of: sent.value) ? nil : "the provider is \($0)"
                }
                evidence.append(Evidence(sent, note: note))
            }
            if let sent = call.parameters.parameter("sid"), !sent.value.isEmpty {
                let known = flow.deliveredIDTokens.compactMap { $0.idToken.token.claim("sid")?.string }
                let isKnown = known.isEmpty || known.contains(bytesOf: sent.value)
                evidence.append(Evidence(sent, note: isKnown ? nil : "no ID token of this login has it"))
            }
            let address = flow.capture[call.exchange].request.url.withoutQuery
            evidence += [
                Evidence(
                    place: Place(exchange: call.exchange, part: .requestURL, name: ""),
                    value: Masking.shown(address, of: "url"),
                    note: "the app's front-channel logout address"
                ), call.answer.statusEvidence(note: "the app's answer"),
            ]
            return Violation(
                evidence,
                variant: "rejected",
                explanation: explanation,
                fix: fix,
                title: "The app refused the provider's front-channel logout",
                exchange: call.exchange
            )
        }
        return nil
    }

    private static let explanation = """
        The provider's page had the browser load the app's logout address, so that the app ends its session as well, and the app refused it: its \
        session did not end.
        """
    private static let fix = """
        Compare iss and sid with what the app expects: its configured issuer, character by character, and the sid of the session's ID token. Where \
        the app does not know the session, see whether its cookie comes along: the address is loaded in a frame of another site, which wants \
        SameSite=None; Secure, and a browser that lets such cookies through. An address that is not found is the frontchannel_logout_uri that is registered.
        """
}
