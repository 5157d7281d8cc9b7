import Captures
import Flows
import OAuth

/// What the reading of one step has to know of its flow.
struct ReadingContext {
    let flow: Flow
    let learned: LearnedValues
    /// Where the app is called back, without queries.
    let targets: Set<String>
    /// Exchanges that are steps.
    let told: Set<Int>
    /// Exchanges that are not to be compared.
    let leftOut: Set<Int>
    /// What is typed in secret on the pages of the flows that are compared.
    let passwordFields: PasswordFields
    /// By name, when a cookie was set for the first time, as a place in the order of time.
    private let cookiesSet: [String: Int]
    /// Cookies that nobody but what is left out has set: another app's on the same host, whatever its port.
    private let cookiesOfLeftOut: Set<String>
    /// By name, when a step sent a cookie for the last time.
    private let cookiesSent: [String: Int]

    init(
        flow: Flow,
        learned: LearnedValues,
        told: Set<Int>,
        leftOut: Set<Int>,
        passwordFields: PasswordFields
    ) {
        self.flow = flow
        self.learned = learned
        self.told = told
        self.leftOut = leftOut
        self.passwordFields = passwordFields
        var targets: Set<String> = []
        for step in flow.steps {
            if let uri = step.parameters["redirect_uri"] { targets.insert(RecordedURL(uri).withoutQuery) }
        }
        self.targets = targets
        let position = flow.surroundings.position
        var cookiesSet: [String: Int] = [:]
        var cookiesSent: [String: Int] = [:]
        var own: Set<String> = []
        let others = leftOut.reduce(into: Set<String>()) { names, index in
            names.formUnion(Self.cookies(setBy: flow.capture[index]))
        }
        for index in flow.exchanges.sorted(by: { position[$0] < position[$1] }) {
            let exchange = flow.capture[index]
            if !leftOut.contains(index) { own.formUnion(Self.cookies(setBy: exchange)) }
            for cookie in exchange.response?.setCookies ?? []
            where !cookie.value.isEmpty && cookiesSet[cookie.name] == nil {
                cookiesSet[cookie.name] = position[index]
            }
            guard told.contains(index) else { continue }
            for cookie in exchange.request.cookies { cookiesSent[cookie.name] = position[index] }
        }
        cookiesOfLeftOut = others.subtracting(own)
        self.cookiesSet = cookiesSet
        self.cookiesSent = cookiesSent
    }

    /// Whether an answer of this flow had set a cookie before.
    func wasSet(_ cookie: String, before exchange: Int) -> Bool {
        cookiesSet[cookie].map { $0 < flow.surroundings.position[exchange] } ?? false
    }

    private static func cookies(setBy exchange: Exchange) -> [String] {
        (exchange.response?.setCookies ?? []).map(\.name)
    }

    /// Whether a cookie is none of those who are compared.
    func isLeftOut(cookie: String) -> Bool { cookiesOfLeftOut.contains(cookie) }

    /// Whether a step sends a cookie afterwards.
    func isSent(_ cookie: String, after exchange: Int) -> Bool {
        cookiesSent[cookie].map { $0 > flow.surroundings.position[exchange] } ?? false
    }

    /// The last message of a kind before a step, as `pick` reads it.
    func latest<Value>(before exchange: Int, _ pick: (OAuthMessage) -> Value?) -> Value? {
        let position = flow.surroundings.position
        return flow.messages.last { message in
            position[message.exchange] < position[exchange] && pick(message) != nil
        }.flatMap(pick)
    }
}
