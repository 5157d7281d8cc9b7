import Captures

/// The user's no on a recorded page: another button than the one that was pressed when it was recorded.
extension StepMatcher {
    /// Whether a page's form comes without the button that said yes.
    ///
    /// Not with a password: programs that fill such a form in leave its button out.
    func isDeclined(_ request: RecordedRequest, at index: Int) -> Bool {
        let step = script.steps[index]
        guard !step.isSafe, step.credentials?.password == nil, script.error == nil,
            step.delivery != nil || script.purpose == .visit && hasDevices,
            let page = script.page(before: index).flatMap({ script.steps[$0].body?.bytes })
        else { return false }
        let forms = HTMLForm.all(in: page)
        if Self.isSentByAnotherButton(request, than: step, of: forms) { return true }
        let recorded = QueryItems(step.sentText).items
        let pressed = forms.lazy.flatMap(\.fields).first { field in
            field.type == "submit" && recorded.contains { $0.name == field.name && $0.value == field.value }
        }
        guard let pressed else { return false }
        return !request.sentForm.items.contains {
            $0.name == pressed.name && $0.value == pressed.value
        }
    }

    /// Whether a form goes where another of its buttons sends it than the recorded one (`formaction`), as a parameter of that address
    /// says.
    private static func isSentByAnotherButton(
        _ request: RecordedRequest,
        than step: InteractionScript.Step,
        of forms: [HTMLForm]
    ) -> Bool {
        let (asked, recorded) = (request.url.queryItems, step.url.queryItems)
        return forms.lazy.flatMap(\.buttonActions).flatMap { RecordedURL($0).queryItems.items }.contains {
            item in
            asked.first(item.name) == item.value
                && recorded.first(item.name).map { $0 != item.value } ?? false
        }
    }
}
