import Testing

@testable import Sharing

/// Days, and how else they are written.
struct CalendarDayTests {
    @Test(arguments: [
        "1990-03-22", "1990/03/22", "19900322", "22.03.1990", "22.3.1990", "22/03/1990", "03/22/1990",
        "22 March 1990", "22 mar 1990", "March 22, 1990", "22nd March 1990", "22-MAR-1990", "22. März 1990",
        "22 mars 1990",
    ])
    func dayIsRead(text: String) throws {
        let day = try #require(CalendarDay(text))
        #expect((day.year, day.month, day.day) == (1990, 3, 22))
        let spellings = day.spellings
        for other in [
            "1990-03-22", "19900322", "22.03.1990", "22.3.1990", "3/22/1990", "22 march 1990",
            "march 22, 1990",
        ] {
            #expect(spellings.contains(other), "\(other)")
        }
    }

    @Test(arguments: [
        "", "1990", "03/04/1990", "1990-13-40", "99999999", "tomorrow", "1 2 3", "of 12 pages", "1990-03",
    ])
    func whatIsNoDayIsNone(text: String) { #expect(CalendarDay(text) == nil) }
}
