import Captures
import Flows
import OAuth

/// A login whose answer an app left lying, after it had begun another one while the first was open.
///
/// Libraries of apps keep the last request alone: the answer to an earlier one has a `state` that they do not know any more.
struct OvertakenLogin {
    /// The `state` of the later request.
    var evidence: Evidence

    /// Nil where the app began no other one between the request and its answer.
    init?(by delivery: CodeDelivery, in flow: Flow) {
        guard let state = delivery.response.state, !state.isEmpty,
            let request = flow.authorizationRequests.last(where: { $0.state == state }),
            let client = request.clientID
        else { return nil }
        let index = flow.surroundings
        let (start, end) = (index.position[request.exchange], index.position[delivery.exchange])
        let later = index.authorizationRequests.last { other in
            index.position[other.exchange] > start && index.position[other.exchange] < end
                && other.clientID == client
                && other.redirectURI == request.redirectURI && other.state.map { $0 != state } ?? false
                && !index.browsers.areOnTwoDevices(request.exchange, other.exchange)
        }
        guard let later, let parameter = later.parameters.parameter("state") else { return nil }
        evidence = Evidence(parameter, note: "of another login that the app began while this one was open")
    }

    static let explanation = """
        The provider sent the user back with a code, and no later request carries it. The app had begun another login in the meantime: libraries keep the last \
        request alone, so that the answer to the one before has a state that they do not know any more, and is dropped (AppAuth: state mismatch).
        """
    static let fix = """
        Begin one login at a time: look for a call that is made twice (a button that can be tapped while a login is open, an effect that runs again, two parts of the \
        app that both find nobody signed in), and let the second one wait for the first.
        """
}
