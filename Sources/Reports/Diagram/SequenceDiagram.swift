package import Captures
package import Flows

/// A flow as who says what to whom, time running down: what every drawn form is a function of.
package struct SequenceDiagram: Sendable {
    /// One who takes part.
    package struct Lane: Sendable, Hashable {
        package var role: Participant.Role
        /// The process or product where it is known, else the role.
        package var name: String
        /// Where it is asked, `id.harbour.example`; nil for one that only asks.
        package var host: String?
        /// A provider that is itself the client of another one.
        package var isBroker = false
        /// Whom a broker asks.
        package var isUpstream = false
    }

    /// What a message is on the wire.
    package enum Form: Sendable, Hashable {
        case request
        case answer
        /// An answer that sends the browser on.
        case redirect
        /// Nothing came back.
        case silence
    }

    /// An arrow from a lane to a lane.
    package struct Message: Sendable, Hashable {
        package var exchange: Int
        package var at: Timestamp
        /// Indices of lanes.
        package var from: Int
        package var to: Int
        package var form: Form
        /// In the specifications' words, with names and no values: `token request (authorization_code)`.
        package var words: String
        /// An error, or no answer at all.
        package var isFailure = false
        /// The exchange that a redirect led to.
        package var next: Int?
    }

    /// What stands in the diagram, from top to bottom.
    package enum Row: Sendable, Hashable {
        case message(Message)
        /// Requests that the login does not hang on.
        case folded([Int])
        /// A finding, between the lanes of the message that it points at.
        case finding(rule: String, title: String, isPrimary: Bool, lanes: ClosedRange<Int>)
    }

    package var title: String
    /// In the order in which they are drawn, from left to right.
    package var lanes: [Lane] = []
    package var rows: [Row] = []
}
