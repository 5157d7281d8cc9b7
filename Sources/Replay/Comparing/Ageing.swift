import Captures
import Flows
import OAuth

/// How old a code, token or state had become when it was used: what runs out in one flow and not in the other.
enum Ageing {
    /// The words for an answer that differs, where the age does as well.
    static func note(_ left: ComparedStep, _ leftFlow: Flow, _ right: ComparedStep, _ rightFlow: Flow)
        -> String?
    {
        guard let (name, age) = age(of: right, in: rightFlow),
            let (_, expected) = self.age(of: left, in: leftFlow),
            age > expected * 2 + .seconds(1)
        else { return nil }
        return "the \(name) was \(words(age)) old, \(words(expected)) in the first flow"
    }

    /// Of what the step was asked with.
    private static func age(of step: ComparedStep, in flow: Flow) -> (name: String, age: Duration)? {
        let name: String
        let value: String?
        switch step.kind {
        case .tokenRequest: (name, value) = ("code", step.step.parameters["code"])
        case .refreshRequest: (name, value) = ("refresh_token", step.step.parameters["refresh_token"])
        case .userInfoRequest, .resourceRequest:
            (name, value) = (
                "access_token", BearerToken.of(step.exchange.request, exchange: step.index)?.value
            )
        case .authorizationResponse: (name, value) = ("state", step.step.parameters["state"])
        default: return nil
        }
        guard let value, !value.isEmpty, let made = birth(of: value, name: name, before: step, in: flow)
        else {
            return nil
        }
        let age = step.exchange.startedAt - made
        return age >= .zero ? (name, age) : nil
    }

    private static func birth(of value: String, name: String, before step: ComparedStep, in flow: Flow)
        -> Timestamp?
    {
        for message in flow.messages {
            let exchange = flow.capture[message.exchange]
            switch message {
            case .authorizationRequest(let request) where name == "state" && request.state == value:
                return exchange.startedAt
            case .authorizationResponse(let response)
            where response.parameters[name] == value && name != "state" && message.exchange != step.index:
                return exchange.endedAt
            case .token(let request) where request.answer.parameters[name] == value: return exchange.endedAt
            default: continue
            }
        }
        return nil
    }

    private static func words(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let tenths = seconds * 10 + attoseconds / 100_000_000_000_000_000
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) s" : "\(tenths / 10) s"
    }
}
