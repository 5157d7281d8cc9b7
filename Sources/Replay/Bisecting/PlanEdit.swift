import Captures
import Flows
import JSON
import OAuth

/// One thing that is done otherwise in a plan; steps are named by their recorded exchange.
enum PlanEdit: Sendable {
    /// A parameter, the `number`th of its name from zero.
    case parameter(exchange: Int, name: String, number: Int, value: String, isInBody: Bool)
    case withoutParameter(exchange: Int, name: String, number: Int)
    /// A header field; no value leaves it out.
    case header(exchange: Int, name: String, values: [String])
    /// A member of a token that the request carries in a parameter, or in a header field of that name.
    case member(exchange: Int, token: String, isHeader: Bool, name: String, value: JSONValue?)
    /// The client's id or secret, wherever the request carries it.
    ///
    /// `inBasic`: how the other client spells it in Basic credentials; nil where it does not.
    case credential(exchange: Int, name: String, value: String, inBasic: String?)
    case authentication(exchange: Int, ClientAuthentication.Method)
    /// Id and secret in the body, too, beside what is there.
    case secretTwice(exchange: Int)
    /// An assertion proves who the client is (RFC 7523, section 2.2).
    case assertion(exchange: Int, String)
    case encodesCredentials(exchange: Int, Bool)
    case address(exchange: Int, String)
    case carrier(exchange: Int, RequestCarrier)
    /// Code challenges are made of a verifier that looks otherwise.
    case verifier(String, insteadOf: String)
    case pause(exchange: Int, Duration)
    case leavingOut(exchange: Int)
    /// A step of the other flow behind one of this; nil: at the beginning.
    case inserting(PlannedStep, Exchange, after: Int?)
    case moving(exchange: Int, after: Int?)

    /// In which order edits are made: what changes the form of a request comes behind what changes its parts.
    var rank: Int {
        switch self {
        case .parameter, .withoutParameter, .header, .member, .verifier: 0
        case .credential: 1
        case .encodesCredentials: 2
        case .authentication: 3
        case .secretTwice, .assertion: 4
        case .address, .carrier, .pause: 5
        case .leavingOut: 6
        case .inserting, .moving: 7
        }
    }
}
