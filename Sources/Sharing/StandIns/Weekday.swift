/// The days of the week, from the one on which the epoch began.
enum Weekday {
    /// In small letters.
    static let names = ["thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday"]

    private static let secondsADay: Int64 = 86_400

    /// The place in ``names`` of the day of a time, also of one before the epoch.
    ///
    /// `seconds`: since the epoch.
    static func index(at seconds: Int64) -> Int {
        // Division rounds towards zero.
        let days = seconds / secondsADay - (seconds % secondsADay < 0 ? 1 : 0)
        return Int((days % 7 + 7) % 7)
    }
}
