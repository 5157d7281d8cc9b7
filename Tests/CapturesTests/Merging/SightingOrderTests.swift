import Testing

@testable import Captures

/// Where the exchanges of a file without times stand among those of others.
struct SightingOrderTests {
    /// A browser's file, and an app's without times; `skew`: seconds that the server's clock is ahead.
    ///
    /// `given`: when the browser has its code.
    private static func files(skew: Double, given: Double = 0, hasDates: Bool = true) -> (
        Sightings, Sightings
    ) {
        let date = { (seconds: Double) in
            hasDates ? [("Date", Sightings.time(seconds + skew).httpDate)] : []
        }
        var browser = Sightings()
        browser.add("/authorize?state=state-0-Zq34", at: given, status: 302, answer: date(given))
        browser.add("/account", at: 60, answer: date(60))
        var app = Sightings()
        app.add("/.well-known/openid-configuration", at: 0)
        app.add("/token", at: 0, method: "POST", form: [("code", "code-0-Xy12")], answer: date(8))
        app.add("https://api.example/me", at: 0)
        for index in app.exchanges.indices {
            app.exchanges[index].startedAt = Timestamp(nanoseconds: 0)
            app.exchanges[index].duration = nil
        }
        return (browser, app)
    }

    /// How the server's clock goes the browser's file tells.
    @Test(arguments: [0, 300, -300] as [Double]) func answersDatesTellWhenTheyWere(skew: Double) {
        let (browser, app) = Self.files(skew: skew)
        #expect(CaptureMerger(browser, app).story == ["a0", "b0", "b1", "b2", "a1"])
        #expect(CaptureMerger(app, browser).story == ["b0", "a0", "a1", "a2", "b1"])
    }

    /// Of a code that was given out and redeemed within a second the answer's date says no more.
    @Test func withinASecondTheFileWithTimesComesFirst() {
        let (browser, app) = Self.files(skew: 0, given: 8.4)
        #expect(CaptureMerger(browser, app).story == ["a0", "b0", "b1", "b2", "a1"])
    }

    @Test func withoutDatesTheyStayTogether() {
        let (browser, app) = Self.files(skew: 0, hasDates: false)
        #expect(CaptureMerger(browser, app).story == ["b0", "b1", "b2", "a0", "a1"])
    }

    /// A code is redeemed behind the callback that brought it, a pushed request before the browser has its URI.
    @Test(arguments: [false, true]) func whatTheyBringOnWasGivenOutBefore(hasDates: Bool) {
        var (browser, app) = Self.files(skew: 0, given: 8, hasDates: hasDates)
        browser.add("https://app.example/cb?code=code-0-Xy12", at: 8.2, status: 302)
        browser.add("/later", at: 8.3)
        app.exchanges[1].request.body = .init(
            text: "grant_type=authorization_code&code=code-0-Xy12",
            mediaType: "application/x-www-form-urlencoded"
        )
        #expect(CaptureMerger(browser, app).story == ["a0", "a2", "b0", "b1", "b2", "a3", "a1"])
    }

    /// What the summary says of its clock.
    @Test(arguments: [false, true]) func itIsSaidWhetherItWasPutSomewhere(hasDates: Bool) {
        let (browser, app) = Self.files(skew: 0, hasDates: hasDates)
        #expect(CaptureMerger(browser, app).report(differing: 0).files.map(\.isPlaced) == [nil, hasDates])
        #expect(CaptureMerger(app, browser).report(differing: 0).files.map(\.isPlaced) == [hasDates, nil])
    }
}
