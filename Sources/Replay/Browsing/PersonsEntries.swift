import Captures
import Flows
import JSON

/// What the person of the recording entered on the provider's pages, step by step.
package struct PersonsEntries: Sendable, Hashable {
    /// What went to the provider in one step: a form, or a script's JSON.
    package struct Entry: Sendable, Hashable {
        package var fields: [Field]
        /// A form that a page sent: a box that is not in it was not ticked, a button that is in it was pressed.
        package var isForm: Bool

        package init(_ fields: [Field], isForm: Bool = true) {
            self.fields = fields
            self.isForm = isForm
        }
    }

    /// One of the values that were sent, under the name that the page has for it.
    package struct Field: Sendable, Hashable {
        package var name: String
        /// Nil for one that the capture does not hold and that was not given.
        package var value: String?
        /// Typed by the person and kept secret.
        package var isSecret: Bool

        package init(_ name: String, _ value: String?, isSecret: Bool = false) {
            self.name = name
            self.value = value
            self.isSecret = isSecret
        }
    }

    package var entries: [Entry]

    package init(_ entries: [Entry] = []) { self.entries = entries }

    /// The entries of some steps of a plan.
    ///
    /// What the page itself supplied (hidden fields, what the provider issued) is left out. `credentials` and
    /// `overrides` count more than the recording.
    package init(
        of steps: [PlannedStep],
        in plan: ReplayPlan,
        credentials: ReplayCredentials,
        overrides: [String: String]
    ) {
        entries = steps.compactMap { Entry(of: $0, in: plan, credentials, overrides) }
        // What was given and is in no step: a one-time code that nobody asked for then.
        let known = Set(entries.flatMap(\.fields).map(\.name))
        let more = credentials.values.filter { name, _ in
            !known.contains(name) && name != SecretNames.clientSecret
                && (SecretNames.isTyped(name) || PageFilling.isPersonsName(name))
        }
        if !more.isEmpty {
            let fields = more.sorted { $0.key < $1.key }.map { Field($0.key, $0.value, isSecret: true) }
            entries.append(Entry(fields, isForm: false))
        }
    }
}

extension PersonsEntries.Entry {
    /// What a step sent; nil where nobody entered anything.
    fileprivate init?(
        of step: PlannedStep,
        in plan: ReplayPlan,
        _ credentials: ReplayCredentials,
        _ overrides: [String: String]
    ) {
        guard step.kind == .userInteraction || step.kind == nil, step.isBrowser else { return nil }
        let request = plan.flow.capture[step.exchange].request
        let isForm = (FormBody.items(of: request.body) ?? MultipartForm.items(of: request.body)) != nil
        let hasBody = isForm || request.body?.isRecorded ?? false
        if case .submit = step.action {} else if !hasBody { return nil }
        fields = step.parameters.compactMap { parameter in
            guard parameter.part == .requestBody || parameter.part == .requestQuery && !hasBody else {
                return nil
            }
            let given = overrides[parameter.name] ?? overrides["user_interaction.\(parameter.name)"]
            return PersonsEntries.Field(parameter, given: given, credentials)
        }
        self.isForm = isForm || !hasBody
    }
}

extension PersonsEntries.Field {
    /// Nil for what the page itself supplied.
    fileprivate init?(_ parameter: PlannedParameter, given: String?, _ credentials: ReplayCredentials) {
        switch parameter.source {
        case .literal:
            let isName = PageFilling.isPersonsName(parameter.name)
            let known = credentials.values[parameter.name] ?? (isName ? credentials.values["username"] : nil)
            self.init(parameter.name, given ?? known ?? parameter.value)
        case .secret(let name, let isRecorded):
            let recorded = isRecorded ? parameter.value : nil
            self.init(parameter.name, given ?? credentials.values[name] ?? recorded, isSecret: true)
        case .form, .issued, .generated: return nil
        }
    }
}
