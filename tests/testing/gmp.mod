module example.com/m


