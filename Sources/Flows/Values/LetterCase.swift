import Captures

/// What upper and lower case of a value's letters tell of where it comes from.
enum LetterCase {
    /// Whether the letters change their case in no order that words have.
    ///
    /// One session cookie in a hundred happens to have no digit. Of drawn letters every second is followed by one of the other
    /// case, and capitals stand beside each other; of words in camel case one or the other holds, not both.
    static func isOfNoWord(_ value: String) -> Bool {
        var upper = 0
        var lower = 0
        var changes = 0
        var pairs = 0
        var wasUpper: Bool?
        for byte in value.utf8 {
            guard byte.isASCIILetter else {
                // A change across a separator says nothing.
                wasUpper = nil
                continue
            }
            let isUpper = byte & 0x20 == 0
            if isUpper { upper += 1 } else { lower += 1 }
            if let wasUpper, wasUpper != isUpper { changes += 1 }
            if wasUpper == true, isUpper { pairs += 1 }
            wasUpper = isUpper
        }
        return pairs > 1 && lower > 3 && changes * 10 >= 3 * (upper + lower)
    }
}
