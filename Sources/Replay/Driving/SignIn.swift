import Captures
import Flows
import JSON

/// What the recording knows of the person who signed in, for pages that it does not know.
struct SignIn {
    private let name: String?
    private let password: String?

    /// `credentials`: count more than the recording.
    init(_ plan: ReplayPlan, _ credentials: ReplayCredentials) {
        var password: String?
        for step in plan.recordedPages + plan.steps where step.kind == .userInteraction || step.kind == nil {
            for parameter in step.parameters where !parameter.value.isEmpty && Self.isTyped(parameter) {
                if Self.isUsable(parameter) { password = parameter.value }
            }
        }
        name = credentials.values[SecretNames.username] ?? plan.recordedUsername
        self.password = credentials.values["password"] ?? password
    }

    /// For a page that asks by another name for what a recorded one asked for: what is typed there is neither another page's password,
    /// nor another's code.
    init(_ plan: ReplayPlan, _ credentials: ReplayCredentials, typing parameter: PlannedParameter) {
        name = credentials.values[SecretNames.username] ?? plan.recordedUsername
        var given: String?
        if case .secret(let name, _) = parameter.source { given = credentials.values[name] }
        password = given ?? (Self.isUsable(parameter) ? parameter.value : nil)
    }

    /// By its name, or by the page that had it.
    static func isTyped(_ parameter: PlannedParameter) -> Bool {
        if case .secret(let name, _) = parameter.source {
            return ![SecretNames.username, SecretNames.clientSecret].contains(name)
        }
        return SecretNames.isTyped(parameter.name)
    }

    private static func isUsable(_ parameter: PlannedParameter) -> Bool {
        guard case .secret(_, let isRecorded) = parameter.source else {
            return SecretNames.isUsable(parameter.value)
        }
        return isRecorded
    }

    /// The fields to submit; nil where the form is none that asks who one is, or for consent.
    func fields(for form: HTMLForm) -> [(String, String)]? {
        let secret = form.fields.first { $0.type == "password" }
        let visible = Self.nameField(of: form)
        if let secret {
            guard let password else { return nil }
            return Self.filled(
                form,
                [secret.name: password],
                visible.flatMap { field in name.map { (field.name, $0) } }
            )
        }
        if let visible, let name { return Self.filled(form, [:], (visible.name, name)) }
        // Consent: buttons and boxes only, and one of them says yes.
        let buttons = form.fields.filter { $0.type == "submit" || $0.type == "button" }
        guard form.fields.allSatisfy({ ["hidden", "submit", "button", "checkbox"].contains($0.type) }),
            let yes = buttons.first(where: { Self.says(Self.affirmations, $0) })
        else { return nil }
        return form.fields.filter { $0.type == "hidden" || $0.type == "checkbox" }.map {
            ($0.name, $0.value.isEmpty && $0.type == "checkbox" ? "on" : $0.value)
        } + [(yes.name, yes.value)]
    }

    /// The fields of a form that has one field to fill in, for who one is, whatever it is called; nil of another form, and where the
    /// field is called by something else that pages ask for alone.
    func nameAlone(in form: HTMLForm) -> [(String, String)]? {
        let filledIn = form.fields.filter {
            !["hidden", "submit", "button", "image", "reset", "checkbox"].contains($0.type)
        }
        guard let name, filledIn.count == 1, let field = filledIn.first,
            ["text", "email", "tel"].contains(field.type), !SecretNames.isOneTime(field.name),
            !Self.others.contains(where: field.name.lowercased().containsBytes)
        else { return nil }
        return Self.filled(form, [:], (field.name, name))
    }

    /// Codes, what stands in a picture, where somebody works, what is looked for.
    private static let others = [
        "answer", "captcha", "code", "company", "otp", "organi", "pin", "search", "tenant", "token",
        "workspace",
    ]

    /// The field of a form that takes who signs in: one that is called so, else, beside a password, the first of text.
    static func nameField(of form: HTMLForm) -> HTMLForm.Field? {
        let texts = form.fields.filter { ["text", "email", "tel"].contains($0.type) }
        let isBesidePassword = form.fields.contains { $0.type == "password" }
        return texts.first { names.contains($0.name.lowercased()) } ?? (isBesidePassword ? texts.first : nil)
    }

    /// What a form sends in the page's order, with the first button that does not refuse.
    static func filled(
        _ form: HTMLForm,
        _ secrets: [String: String],
        _ visible: (String, String)?
    ) -> [(String, String)] {
        var hasButton = false
        return form.fields.compactMap { field in
            if let secret = secrets[field.name] { return (field.name, secret) }
            if let visible, visible.0 == field.name { return visible }
            switch field.type {
            case "hidden": return (field.name, field.value)
            case "submit", "button":
                guard !hasButton, !Self.says(Self.refusals, field) else { return nil }
                hasButton = true
                return (field.name, field.value)
            case "checkbox", "radio", "file", "image", "reset": return nil
            default: return (field.name, field.value)
            }
        }
    }

    private static func says(_ words: [String], _ field: HTMLForm.Field) -> Bool {
        let text = (field.name + " " + field.value).lowercased()
        return words.contains(where: text.containsBytes)
    }

    static let names: Set<String> = [
        "username", "user", "login", "email", "identifier", "user_name", "userid", "user_id", "j_username",
        "loginfmt", "account", "callback_0", "pf.username",
    ]
    private static let affirmations = [
        "allow", "accept", "approve", "agree", "grant", "consent", "continue", "yes", "confirm", "authorize",
    ]
    private static let refusals = ["cancel", "deny", "decline", "reject", "refuse", "abort"]
}
