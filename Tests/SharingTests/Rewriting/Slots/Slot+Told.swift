@testable import Sharing

extension Slot {
    /// What slots of a text hold, each as `name=value`.
    static func told(_ slots: [Slot], _ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return slots.map { "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))" }
    }
}

extension ScriptSlots {
    /// What members of an object hold that have a name and are no numbers, each as `name=value`.
    static func told(_ text: String) -> [String] {
        Slot.told(slots(in: Array(text.utf8)[...]).filter { !$0.isNumber && !$0.name.isEmpty }, text)
    }
}
