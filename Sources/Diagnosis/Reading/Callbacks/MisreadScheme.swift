import Captures
import Flows
import OAuth

/// A redirect URI of an app whose scheme has a character that schemes do not have (RFC 3986, section 3.1): the browser takes the
/// whole for a path on the provider's own server, and the app never hears of it.
enum MisreadScheme {
    /// The code that was sent to such an address and came to nobody; nil where the app has it all the same, as one does that reads the
    /// addresses of its own web view.
    static func violation(of response: AuthorizationResponse, in flow: Flow) -> Violation? {
        guard let scheme = response.target.unreadableScheme, !(response.code ?? "").isEmpty,
            let delivered = response.deliveredBy, let location = flow.capture[delivered].response?.location,
            !flow.receivedCodes.contains(response),
            !flow.logins.contains(where: { !AppHandover.relays(of: $0, in: flow).isEmpty }),
            !mayBeExchanged(behind: delivered, flow)
        else { return nil }
        let read = flow.capture[delivered].request.url.resolving(location)
        let landing = flow.exchanges(after: delivered, within: .seconds(60)).first {
            flow.capture[$0].request.url == read
        }
        // Without it, who looks for the app's address may have found it.
        guard landing != nil || isLeft(response, behind: delivered, flow) else { return nil }
        let arrival = landing.map { index in
            Evidence(
                place: Place(exchange: index, part: .requestURL, name: ""),
                value: Masking.shown(read.withoutQuery, of: "url"),
                note: flow.capture[index].response.map {
                    "where the browser went instead, answered with status \($0.status)"
                } ?? "where the browser went instead"
            )
        }
        return Violation(
            [
                Evidence(
                    place: Place(exchange: delivered, part: .responseLocation, name: ""),
                    value: Masking.shown(RecordedURL(location).withoutQuery, of: "url"),
                    note: "\(scheme) is no scheme: letters, digits, +, - and . only, a letter first"
                ), arrival,
            ].compactMap(\.self),
            variant: "scheme",
            explanation: explanation,
            fix: fix,
            title: "The redirect URI's scheme is none that a browser can read",
            exchange: landing ?? delivered
        )
    }

    /// Whether nobody is seen to use the code, nor may have done so unseen, though the recording went on for long enough.
    private static func isLeft(_ response: AuthorizationResponse, behind delivered: Int, _ flow: Flow) -> Bool
    {
        guard flow.surroundings.latest.end - flow.capture[delivered].endedAt >= .seconds(30),
            var delivery = CodeDelivery(response, in: flow)
        else { return false }
        // The address is one of an app, however browsers read it.
        delivery.receiver = .app
        return delivery.isPassedOn(in: flow) == false
    }

    /// Whether the flow has a code exchange behind it, or the capture a token request whose body was not saved.
    private static func mayBeExchanged(behind delivered: Int, _ flow: Flow) -> Bool {
        let position = flow.surroundings.position
        return flow.tokenRequests.contains {
            $0.isCodeExchange && position[$0.exchange] > position[delivered]
        }
            || flow.surroundings.tokenRequests.contains {
                !$0.isRecorded && position[$0.exchange] > position[delivered]
            }
    }

    private static let explanation = """
        The provider sent the code to an address of the app's own, whose scheme has a character that no scheme may have, or begins with a digit. \
        Browsers, and the system's sign-in sheets with them, do not see a scheme there at all: they take the address for a path on the \
        provider's server and ask that for it. The app is never called, and the code is lost.
        """
    private static let fix = """
        Name the app's scheme without it, best as its domain reversed (com.example.my-app), in all three places: where the app declares it \
        (CFBundleURLSchemes on iOS, the intent filter or appAuthRedirectScheme on Android), at the provider, and in redirect_uri. Bundle \
        identifiers on iOS have no underscores either; package names on Android may.
        """
}
