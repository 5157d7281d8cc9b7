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
            "march 22, 1990", "1990-03-22t00:00:00", "22/03/90", "03/22/90", "22.03.90", "1990年3月22日",
            "1990년 3월 22일", "march 22nd, 1990", "22nd of march 1990", "mar. 22, 1990", "22mar1990",
        ] {
            #expect(spellings.contains(other), "\(other)")
        }
    }

    @Test(arguments: [
        "", "1990", "03/04/1990", "1990-13-40", "99999999", "tomorrow", "1 2 3", "of 12 pages", "1990-03",
    ])
    func whatIsNoDayIsNone(text: String) { #expect(CalendarDay(text) == nil) }

    /// A year of two digits that may be a day is not looked for: versions are written so, too.
    @Test func yearThatMayBeADayHasFourDigits() throws {
        let spellings = try #require(CalendarDay("2003-02-01")).spellings
        #expect(!spellings.contains("01.02.03") && !spellings.contains("02/01/03"))
    }
}
